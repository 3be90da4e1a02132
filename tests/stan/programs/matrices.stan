// Covariance, correlation, unit vectors, bounds that depend on data, and arrays without elements.
data {
  int<lower=2> K;
  int<lower=0> N;
  array[N] vector[K] y;
  vector[K] low;
}
parameters {
  cov_matrix[K] S;
  corr_matrix[K] R;
  cholesky_factor_cov[K] L;
  unit_vector[K] u;
  vector<lower=low, upper=low + 2>[K] z;
  row_vector<offset=1, multiplier=3>[K] r;
  positive_ordered[K] p;
  array[0] real none;
  array[2, 3] real<upper=1> many;
}
model {
  S ~ inv_wishart(K + 2, identity_matrix(K));
  R ~ lkj_corr(2);
  to_vector(L) ~ normal(0, 2);
  u ~ normal(0, 1);
  r ~ normal(1, 3);
  p ~ exponential(1);
  y ~ multi_normal(z, S);
  y ~ multi_normal_cholesky(r', L);
  for (i in 1:2) many[i] ~ normal(0, 1);
  target += -quad_form(inverse_spd(S), z) - 0.1 * sum(R .* S);
}
