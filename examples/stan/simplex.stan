// Shares of four kinds, given the count of each. With a flat prior the posterior is the Dirichlet
// distribution with counts + 1, so draws can be compared with its mean.
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
  int seen_again = binomial_rng(sum(counts), share[2]); // count of the second kind in a new sample of the same size
}
