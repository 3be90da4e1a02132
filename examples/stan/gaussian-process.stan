// A smooth function seen with noise: a Gaussian process with the squared exponential covariance, in
// the non-centred form, and draws of the function where nothing was seen.
functions {
  matrix covariance(array[] real a, array[] real b, real alpha, real rho) {
    matrix[size(a), size(b)] K;
    for (i in 1:size(a))
      for (j in 1:size(b)) K[i, j] = square(alpha) * exp(-0.5 * square((a[i] - b[j]) / rho));
    return K;
  }
}
data {
  int<lower=1> N;
  array[N] real x;
  vector[N] y;
  int<lower=1> M;
  array[M] real x_new;
}
parameters {
  real<lower=0> rho;    // length over which the function changes
  real<lower=0> alpha;  // its standard deviation
  real<lower=0> sigma;  // of the noise
  vector[N] z;
}
transformed parameters {
  vector[N] f;
  {
    matrix[N, N] K = add_diag(covariance(x, x, alpha, rho), 1e-8);
    f = cholesky_decompose(K) * z;
  }
}
model {
  rho ~ inv_gamma(5, 5);
  alpha ~ std_normal();
  sigma ~ normal(0, 0.5);
  z ~ std_normal();
  y ~ normal(f, sigma);
}
generated quantities {
  vector[M] f_new;
  vector[N] log_lik;
  vector[N] y_rep;
  {
    matrix[N, N] L = cholesky_decompose(add_diag(covariance(x, x, alpha, rho), 1e-8));
    matrix[N, M] A = mdivide_left_tri_low(L, covariance(x, x_new, alpha, rho));
    matrix[M, M] V = add_diag(covariance(x_new, x_new, alpha, rho) - A' * A, 1e-6);
    vector[M] e;
    for (m in 1:M) e[m] = normal_rng(0, 1);
    f_new = A' * z + cholesky_decompose(V) * e;
  }
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(y[n] | f[n], sigma);
    y_rep[n] = normal_rng(f[n], sigma);
  }
}
