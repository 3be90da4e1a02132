// Times to an event, some of them cut off, by a Weibull law.
functions {
  real log_survival(real t, real shape, real scale) {
    return -pow(t / scale, shape);
  }
}
data {
  int<lower=0> N;
  vector<lower=0>[N] t;
  array[N] int<lower=0, upper=1> seen;
  vector[N] x;
}
parameters {
  real<lower=0> shape;
  real beta0;
  real beta1;
}
model {
  shape ~ gamma(2, 1);
  beta0 ~ cauchy(0, 2);
  beta1 ~ logistic(0, 1);
  for (n in 1:N) {
    real scale = exp(beta0 + beta1 * x[n]);
    if (seen[n])
      t[n] ~ weibull(shape, scale);
    else
      target += log_survival(t[n], shape, scale);
  }
  target += -weibull_lccdf(1.5 | shape, 1);
}
