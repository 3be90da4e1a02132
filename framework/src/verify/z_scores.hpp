// Chances and quantiles of z-scores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

namespace mixwell {

/// P(|Z| > z) of a standard normal Z.
inline double two_sided(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

/// P(|T| > t) of Student's law.
double two_sided(double t, double degrees_of_freedom);

/// z >= 0 with P(|Z| > z) = p, by bisection.
inline double normal_bound(double p) {
  double low = 0.0;
  double high = 40.0;
  for (int k = 0; k < 100; ++k) {
    const double middle = 0.5 * (low + high);
    (two_sided(middle) > p ? low : high) = middle;
  }
  return high;
}

}  // namespace mixwell
