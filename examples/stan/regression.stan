// A linear regression whose slopes vary by group. A parameter is the Cholesky factor of their correlation matrix.
data {
  int<lower=0> N;
  int<lower=1> G;
  array[N] int<lower=1, upper=G> group;
  vector[N] x;
  vector[N] y;
}
parameters {
  vector[2] beta;
  vector<lower=0>[2] tau;
  cholesky_factor_corr[2] L;
  matrix[2, G] z;
  real<lower=0> sigma;
}
transformed parameters {
  matrix[2, G] b = rep_matrix(beta, G) + diag_pre_multiply(tau, L) * z;
}
model {
  beta ~ normal(0, 2);
  tau ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2);
  to_vector(z) ~ std_normal();
  sigma ~ normal(0, 1);
  y ~ normal(to_vector(b[1, group]) + to_vector(b[2, group]) .* x, sigma);
}
generated quantities {
  real rho = L[2, 1];
  vector[N] log_lik;
  for (n in 1:N)
    log_lik[n] = normal_lpdf(y[n] | b[1, group[n]] + b[2, group[n]] * x[n], sigma);
}
