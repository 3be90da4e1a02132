// Counts by area with a smooth effect of neighbours (an intrinsic autoregression), scaled.
data {
  int<lower=0> N;
  int<lower=0> E;
  array[E] int<lower=1, upper=N> from;
  array[E] int<lower=1, upper=N> to;
  array[N] int<lower=0> y;
  vector<lower=0>[N] expected;
}
parameters {
  real beta;
  real<lower=0> sigma;
  real<lower=0, upper=1> rho;
  vector[N] theta;
  vector[N] phi;
}
transformed parameters {
  vector[N] both = sqrt(1 - rho) * theta + sqrt(rho) * phi;
}
model {
  y ~ poisson_log(log(expected) + beta + both * sigma);
  target += -0.5 * dot_self(phi[from] - phi[to]);
  beta ~ normal(0, 1);
  theta ~ normal(0, 1);
  sigma ~ normal(0, 1);
  rho ~ beta(0.5, 0.5);
  sum(phi) ~ normal(0, 0.001 * N);
}
