// The normal distribution function on a logarithmic scale, accurate in both tails.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

namespace mixwell::probit {

/// log sqrt(2 pi)
constexpr double log_root_two_pi = 0.91893853320467274178;

/// Where the lower tail is taken from Laplace's continued fraction instead of erfc, whose relative
/// error grows as x^2 eps and which underflows at -38.
constexpr double tail_begins = -4.0;

/// Mills' ratio (1 - Phi(x)) / phi(x) for x >= 4, by Laplace's continued fraction
///   1 / (x + 1 / (x + 2 / (x + 3 / (x + ...))))
/// (Abramowitz & Stegun, 26.2.14), cut where what is left out is below 1e-18 at x = 4.
inline double mills_ratio(double x) {
  constexpr int levels = 40;
  double tail = x;
  for (int k = levels; k > 0; --k) tail = x + k / tail;
  return 1.0 / tail;
}

inline double density(double x) { return std::exp(-0.5 * x * x - log_root_two_pi); }

/// Phi(x), to (4 + x^2) eps.
inline double below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// log Phi(x), to 4 eps below tail_begins, else (4 + x^2) eps: about -x^2 / 2 far below 0, -phi(x)
/// / x far above.
inline double log_below(double x) {
  if (x < tail_begins) return -0.5 * x * x - log_root_two_pi + std::log(mills_ratio(-x));
  return x > 0 ? std::log1p(-below(-x)) : std::log(below(x));
}

/// (log Phi)'(x) = phi(x) / Phi(x), as accurate: about -x far below 0, phi(x) far above.
inline double log_below_slope(double x) {
  return x < tail_begins ? 1.0 / mills_ratio(-x) : density(x) / below(x);
}

}  // namespace mixwell::probit
