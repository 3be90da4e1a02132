// A smooth function with noisy observations: a Gaussian process with squared exponential covariance. The
// function is integrated out, and then drawn given its three parameters, also at new points.
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
transformed data {
  array[N + M] real x_all = append_array(x, x_new);
}
parameters {
  real<lower=0> rho;    // length scale of the function
  real<lower=0> alpha;  // standard deviation of the function
  real<lower=0> sigma;  // standard deviation of the noise
}
model {
  matrix[N, N] K = add_diag(covariance(x, x, alpha, rho), square(sigma) + 1e-6);
  rho ~ inv_gamma(5, 5);
  alpha ~ std_normal();
  sigma ~ normal(0, 0.5);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K));
}
generated quantities {
  vector[N + M] f;
  vector[N] log_lik;
  vector[N] y_rep;
  {
    matrix[N, N] K = add_diag(covariance(x, x, alpha, rho), square(sigma) + 1e-6);
    matrix[N, N] L = cholesky_decompose(K);
    matrix[N, N + M] A = mdivide_left_tri_low(L, covariance(x, x_all, alpha, rho));
    matrix[N + M, N + M] V = add_diag(covariance(x_all, x_all, alpha, rho) - A' * A, 1e-6);
    vector[N + M] e;
    for (k in 1:N + M) e[k] = normal_rng(0, 1);
    f = A' * mdivide_left_tri_low(L, y) + cholesky_decompose(V) * e;
  }
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(y[n] | f[n], sigma);
    y_rep[n] = normal_rng(f[n], sigma);
  }
}
