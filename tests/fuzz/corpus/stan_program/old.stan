functions { int f(int n) { return n; } }
/* data { */ data { int K; real x[K], y; vector[f(K)] v; }
#include <a.stan>
model { y ~ normal(0, 1); }
---
{"K": 2, "x": [1, 2], "y": NaN, "v": [1, 2, 3]}