// Bayesian logistic regression for ./dev bench stan, by the density of the generalised linear
// model, whose gradient Stan has in closed form: its fastest form in Stan 2.21.
// SPDX-License-Identifier: Apache-2.0
data {
  int<lower=0> N;
  int<lower=0> K;
  matrix[N, K] x;  // standardised inputs
  int<lower=0, upper=1> y[N];
  real<lower=0> prior_sd;
}
parameters {
  real intercept;
  vector[K] beta;
}
model {
  intercept ~ normal(0, prior_sd);
  beta ~ normal(0, prior_sd);
  y ~ bernoulli_logit_glm(x, intercept, beta);
}
