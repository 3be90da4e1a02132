// Animals caught, marked and caught again: survival and capture by occasion, by the law of last sights.
data {
  int<lower=1> T;
  int<lower=0> M;
  array[M, T] int<lower=0, upper=1> seen;
}
transformed data {
  array[M] int first = rep_array(0, M);
  array[M] int last = rep_array(0, M);
  for (i in 1:M)
    for (t in 1:T)
      if (seen[i, t] == 1) {
        if (first[i] == 0) first[i] = t;
        last[i] = t;
      }
}
parameters {
  vector<lower=0, upper=1>[T - 1] phi;
  vector<lower=0, upper=1>[T - 1] p;
}
transformed parameters {
  vector[T] chi;
  chi[T] = 1;
  for (k in 1:T - 1) {
    int t = T - k;
    chi[t] = (1 - phi[t]) + phi[t] * (1 - p[t]) * chi[t + 1];
  }
}
model {
  phi ~ beta(2, 1);
  for (i in 1:M) {
    if (first[i] > 0) {
      for (t in first[i] + 1:last[i]) {
        1 ~ bernoulli(phi[t - 1]);
        seen[i, t] ~ bernoulli(p[t - 1]);
      }
      1 ~ bernoulli(chi[last[i]]);
    }
  }
}
