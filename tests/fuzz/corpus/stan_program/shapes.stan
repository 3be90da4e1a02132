data {
  int<lower=0> N; // "rows"
  array[N, 2 * N - 1] matrix<lower=-1>[N, max({1, N})] A;
  complex z; cov_matrix[N > 1 ? 2 : 1] S; array[N] tuple(int, vector[N %/% 2]) t;
}
generated quantities { real b = {1, 2}[1]; array[2] int m; for (i in 1:2) { m[i] += 1; } if (b > 0) b = 1; else { b = 2; } }
---
{"N": 1, "A": [[[[1]]]], "z": [1, 2], "S": [[1]], "t": [{"1": 1, "2": []}]}
