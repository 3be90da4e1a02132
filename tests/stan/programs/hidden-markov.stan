// A hidden Markov model of two states by the forward algorithm.
data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  array[2] simplex[2] P;
  ordered[2] mu;
  simplex[2] start;
}
transformed parameters {
  matrix[2, T] log_omega;
  for (t in 1:T)
    for (k in 1:2) log_omega[k, t] = normal_lpdf(y[t] | mu[k], 1);
}
model {
  array[2] real gamma;
  mu ~ normal([-1, 1]', 1);
  for (k in 1:2) P[k] ~ dirichlet(rep_vector(2, 2));
  for (k in 1:2) gamma[k] = log(start[k]) + log_omega[k, 1];
  for (t in 2:T) {
    array[2] real next;
    for (k in 1:2)
      next[k] = log_sum_exp(gamma[1] + log(P[1, k]), gamma[2] + log(P[2, k])) + log_omega[k, t];
    gamma = next;
  }
  target += log_sum_exp(gamma);
}
