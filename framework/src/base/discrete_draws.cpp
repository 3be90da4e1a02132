// Draws from Poisson, binomial, negative binomial, beta and Student's t distributions.
// SPDX-License-Identifier: Apache-2.0
#include "base/not_available.hpp"

#include <mixwell/detail/standard_draws.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mixwell {
namespace {

/// Draws use rejection if the expected count is at least this large.
constexpr double large = 10.0;
/// Above this value, a double cannot represent neighbouring whole numbers.
constexpr double largest = 9007199254740992.0;

/// log k! - log of Stirling's sqrt(2 pi k) (k / e)^k.
double stirling_error(double k) {
  constexpr double series_begins = 16.0;
  if (k < series_begins)
    return std::lgamma(k + 1.0) - (k + 0.5) * std::log(k) + k -
           0.5 * std::log(2 * std::numbers::pi);
  const double inverse = 1.0 / (k * k);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - inverse / 1680) * inverse) * inverse) / k;
}

/// k log(k / m) + m - k without cancellation; k, m > 0.
double deviance(double k, double m) {
  const double v = (k - m) / (k + m);
  if (std::abs(v) > 0.1) return k * std::log(k / m) + m - k;
  // log(k / m) = 2 artanh v = 2 (v + v^3 / 3 + ...), and k - m = (k + m) v.
  double sum = (k - m) * v;
  double power = 2 * k * v;
  for (int odd = 3; odd < 41; odd += 2) {
    power *= v * v;
    sum += power / odd;
  }
  return sum;
}

/// log P(k) of a Poisson distribution by Loader's saddle point. Accurate for large means too.
double log_poisson(double k, double mean) {
  if (k == 0.0) return -mean;
  return -stirling_error(k) - deviance(k, mean) - 0.5 * std::log(2 * std::numbers::pi * k);
}

/// log P(k) of a binomial distribution, by the same method.
double log_binomial(double k, double n, double p) {
  if (k == 0.0) return n * std::log1p(-p);
  if (k == n) return n * std::log(p);
  return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
         deviance(n - k, n * (1.0 - p)) - 0.5 * std::log(2 * std::numbers::pi * k * ((n - k) / n));
}

/// A candidate of transformed rejection, with the numbers that decide whether it is accepted.
struct Candidate {
  double k;
  double distance;  ///< from the first uniform to the nearer end of [0, 1]
  double level;     ///< the second uniform
};

Candidate candidate(RandomNumbers& random, double a, double b, double centre) {
  const double u = random.uniform() - 0.5;
  const double distance = 0.5 - std::abs(u);
  return {std::floor((2.0 * a / distance + b) * u + centre), distance, random.uniform()};
}

/// Adds exponential waiting times until they exceed the mean.
double small_poisson(RandomNumbers& random, double mean) {
  double count = -1.0;
  for (double sum = 0.0; sum <= mean; ++count) sum += random.exponential();
  return count;
}

double large_poisson(RandomNumbers& random, double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double squeeze = 0.9277 - 3.6224 / (b - 2.0);
  while (true) {
    const Candidate at = candidate(random, a, b, mean + 0.43);
    if (at.distance >= 0.07 && at.level <= squeeze) return at.k;
    if (at.k < 0.0 || (at.distance < 0.013 && at.level > at.distance)) continue;
    const double hat = a / (at.distance * at.distance) + b;
    if (std::log(at.level * inverse_alpha / hat) <= log_poisson(at.k, mean)) return at.k;
  }
}

/// Adds geometric waiting times until they exceed n (Devroye 1986, section X.4.3).
double rare_binomial(RandomNumbers& random, double n, double p) {
  const double log_rest = std::log1p(-p);
  double count = -1.0;
  for (double sum = 0.0; sum <= n; ++count)
    sum += std::floor(-random.exponential() / log_rest) + 1.0;
  return count;
}

double frequent_binomial(RandomNumbers& random, double n, double p) {
  const double root = std::sqrt(n * p * (1.0 - p));
  const double b = 1.15 + 2.53 * root;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double alpha = (2.83 + 5.1 / b) * root;
  const double squeeze = 0.92 - 4.2 / b;
  const double at_mode = log_binomial(std::floor((n + 1.0) * p), n, p);
  while (true) {
    const Candidate at = candidate(random, a, b, n * p + 0.5);
    if (at.distance >= 0.07 && at.level <= squeeze) return at.k;
    if (at.k < 0.0 || at.k > n) continue;
    const double hat = a / (at.distance * at.distance) + b;
    if (std::log(at.level * alpha / hat) <= log_binomial(at.k, n, p) - at_mode) return at.k;
  }
}

}  // namespace

double draw_poisson(RandomNumbers& random, double mean) {
  if (!(mean >= 0.0)) return not_available;
  if (mean >= largest) return mean;
  return mean < large ? small_poisson(random, mean) : large_poisson(random, mean);
}

double draw_binomial(RandomNumbers& random, double n, double p) {
  if (!(p >= 0.0 && p <= 1.0 && n >= 0.0 && n <= largest && n == std::floor(n)))
    return not_available;
  const double rarer = std::min(p, 1.0 - p);
  if (rarer == 0.0) return p == 0.0 ? 0.0 : n;
  const double count =
      n * rarer < large ? rare_binomial(random, n, rarer) : frequent_binomial(random, n, rarer);
  return p <= 0.5 ? count : n - count;
}

double draw_negative_binomial(RandomNumbers& random, double mu, double phi) {
  return draw_poisson(random, mu * std::exp(draw_log_gamma(random, phi, phi)));
}

double draw_beta(RandomNumbers& random, double a, double b) {
  const double x = draw_log_gamma(random, a, 1.0);
  const double y = draw_log_gamma(random, b, 1.0);
  return 1.0 / (1.0 + std::exp(y - x));
}

double draw_student_t(RandomNumbers& random, double degrees) {
  const double half_log = 0.5 * draw_log_gamma(random, 0.5 * degrees, 0.5 * degrees);
  return random.normal() * std::exp(-half_log);
}

}  // namespace mixwell
