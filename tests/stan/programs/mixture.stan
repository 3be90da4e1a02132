// A mixture of K normals, and zero-inflated counts.
data {
  int<lower=1> K;
  int<lower=1> N;
  vector[N] y;
  array[N] int<lower=0> count;
}
parameters {
  simplex[K] w;
  ordered[K] mu;
  vector<lower=0>[K] sigma;
  real<lower=0, upper=1> zero;
  real<lower=0> lambda;
}
model {
  sigma ~ lognormal(0, 1);
  mu ~ normal(0, 3);
  lambda ~ exponential(0.5);
  for (n in 1:N) {
    vector[K] terms = log(w);
    for (k in 1:K) terms[k] += normal_lpdf(y[n] | mu[k], sigma[k]);
    target += log_sum_exp(terms);
    if (count[n] == 0)
      target += log_mix(zero, 0, poisson_lpmf(0 | lambda));
    else
      target += log1m(zero) + poisson_lpmf(count[n] | lambda);
  }
}
