// Logistic, Poisson and normal regressions by the functions that Stan has for them.
data {
  int<lower=0> N;
  int<lower=0> K;
  matrix[N, K] X;
  array[N] int<lower=0, upper=1> hit;
  array[N] int<lower=0> count;
  vector[N] y;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
  real<lower=0> phi;
}
model {
  alpha ~ student_t(3, 0, 2.5);
  beta ~ double_exponential(0, 1);
  sigma ~ inv_gamma(2, 1);
  phi ~ gamma(2, 0.5);
  target += bernoulli_logit_glm_lpmf(hit | X, alpha, beta);
  target += poisson_log_glm_lpmf(count | X, alpha, beta);
  target += normal_id_glm_lpdf(y | X, alpha, beta, sigma);
  count ~ neg_binomial_2_log(alpha + X * beta, phi);
}
generated quantities {
  array[N] int again = poisson_log_rng(alpha + X * beta);
}
