// An autoregression of order K with moving average, and a GARCH(1, 1) variance.
data {
  int<lower=1> T;
  int<lower=0> K;
  vector[T] y;
}
parameters {
  real mu;
  vector<lower=-1, upper=1>[K] rho;
  real<lower=-1, upper=1> theta;
  real<lower=0> a0;
  real<lower=0, upper=1> a1;
  real<lower=0, upper=1 - a1> b1;
}
model {
  vector[T] e;
  real s2 = a0;
  mu ~ normal(0, 2);
  rho ~ normal(0, 0.5);
  a0 ~ lognormal(0, 1);
  for (t in 1:T) {
    real m = mu;
    for (k in 1:min(K, t - 1)) m += rho[k] * (y[t - k] - mu);
    if (t > 1) {
      m += theta * e[t - 1];
      s2 = a0 + a1 * square(e[t - 1]) + b1 * s2;
    }
    e[t] = y[t] - m;
    y[t] ~ normal(m, sqrt(s2));
  }
}
