// The model of poisson-hierarchy.cpp in Stan's language, non-centred. A test compares the two.
data {
  int<lower=0> N;
  int<lower=1> G;
  array[N] int<lower=1, upper=G> group;
  vector[N] x;
  array[N] int<lower=0> y;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> tau;
  vector[G] z;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 1);
  tau ~ normal(0, 1);
  z ~ std_normal();
  y ~ poisson_log(alpha + beta * x + tau * z[group]);
}
