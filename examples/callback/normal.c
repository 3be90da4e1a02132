/* Ten measurements y ~ N(mu, sigma^2), mu ~ N(0, 10^2), sigma ~ exponential(1), for the model `callback`.
 * SPDX-License-Identifier: Apache-2.0
 *
 *   cc -shared -fPIC -O2 -o normal.so normal.c -lm     (-I FOLDER of an installed <mixwell/callback.h>)
 */
#include <math.h>
#include <mixwell/callback.h>

static const double y[] = {9.2, 11.1, 8.7, 10.4, 12.3, 9.9, 10.8, 9.5, 11.6, 10.1};
static const size_t n = sizeof y / sizeof *y;

/* theta = (mu, log sigma). With sigma recorded as exp(theta), U has the Jacobian -log sigma. */
static void evaluate(const double* theta, double* u, double* gradient) {
  const double mu = theta[0], sigma = exp(theta[1]);
  double squares = 0, sum = 0;
  for (size_t k = 0; k < n; ++k) {
    const double r = (y[k] - mu) / sigma;
    squares += r * r;
    sum += r;
  }
  *u = 0.5 * squares + (double)n * theta[1] + 0.5 * mu * mu / 100 + sigma - theta[1];
  if (gradient == NULL) return;
  gradient[0] = -sum / sigma + mu / 100;
  gradient[1] = -squares + (double)n + sigma - 1;
}

int measurements(size_t d, size_t R, const double* theta, double* u, double* gradient,
                 void* user_data) {
  (void)user_data;
  if (d != 2) return 1; /* the manifest declares other parameters */
  for (size_t j = 0; j < R; ++j)
    evaluate(theta + j * d, u + j, gradient == NULL ? NULL : gradient + j * d);
  return 0;
}
