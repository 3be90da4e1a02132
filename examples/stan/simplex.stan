// Shares of four kinds, given how often each was seen. With a flat prior the posterior is the Dirichlet
// law of counts + 1, so that what is sampled can be compared with its mean.
data {
  array[4] int<lower=0> counts;
}
parameters {
  simplex[4] share;
}
model {
  counts ~ multinomial(share);
}
generated quantities {
  real entropy = -dot_product(share, log(share));
  int seen_again = binomial_rng(sum(counts), share[2]); // of the second kind, in as many cases
}
