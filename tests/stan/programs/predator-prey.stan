// Hares and lynxes: a differential equation of two species.
functions {
  vector growth(real t, vector z, real a, real b, real c, real d) {
    return [(a - b * z[2]) * z[1], (d * z[1] - c) * z[2]]';
  }
}
data {
  int<lower=0> N;
  array[N] real<lower=0> t;
  vector[2] z0;
  array[N] vector<lower=0>[2] y;
}
parameters {
  real<lower=0> a;
  real<lower=0> b;
  real<lower=0> c;
  real<lower=0> d;
  vector<lower=0>[2] sigma;
}
model {
  array[N] vector[2] z = ode_rk45_tol(growth, z0, 0, t, 1e-10, 1e-10, 100000, a, b, c, d);
  a ~ normal(1, 0.5);
  c ~ normal(1, 0.5);
  b ~ normal(0.05, 0.05);
  d ~ normal(0.05, 0.05);
  sigma ~ lognormal(-1, 1);
  for (n in 1:N) y[n] ~ lognormal(log(z[n] + 0.01), sigma);
}
