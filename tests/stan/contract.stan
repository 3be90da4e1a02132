// A program with something of everything that engines of Stan must agree on.
// tests/sampling/stan_contract_test.cpp asks both.
functions {
  int twice(int n) {
    return 2 * n;
  }
}
data {
  int<lower=0> N;
  int K;
  matrix[N, K] x;
  vector[N] y;
  array[N] int<lower=0> g;
  array[2] row_vector[K] rows;
  simplex[3] w;
  real<lower=0> s;
  vector[K - 2] none;
  vector[twice(K)] z;
}
transformed data {
  if (s == 13) reject("unlucky: ", s);
}
parameters {
  vector[K] beta;
  real<lower=0> sigma;
  corr_matrix[3] R;
  matrix[2, 3] M;
  real<upper=sigma> u;
  vector[K - 2] nothing;
}
transformed parameters {
  matrix[N, K] same_x = x;
  matrix[2, 3] same_M = M;
}
model {
  beta ~ normal(0, 1);
  sigma ~ exponential(1);
  R ~ lkj_corr(2);
  to_vector(M) ~ normal(0, 1);
  u ~ normal(0, 1);
  y ~ normal(x * beta, sigma);
}
generated quantities {
  real class = beta[1];
  real lucky;
  if (beta[1] > 1) reject("beta[1] is ", beta[1]);
  lucky = normal_rng(beta[1], s);
}
