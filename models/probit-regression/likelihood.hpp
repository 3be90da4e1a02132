// The likelihood of a probit regression: P(positive) = Phi(z), the normal distribution function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/likelihood.hpp"

#include <cmath>
#include <numbers>

namespace mixwell::probit {

/// log sqrt(2 pi)
constexpr double log_root_two_pi = 0.91893853320467274178;

/// Below this value the lower tail comes from Laplace's continued fraction. The relative error of
/// erfc grows as x^2 eps, and erfc underflows at -38.
constexpr double tail_begins = -4.0;

/// Mills' ratio (1 - Phi(x)) / phi(x) for x >= 4, by Laplace's continued fraction
///   1 / (x + 1 / (x + 2 / (x + 3 / (x + ...))))
/// (Abramowitz & Stegun, 26.2.14), truncated where the remainder is below 1e-18 at x = 4.
inline double mills_ratio(double x) {
  constexpr int levels = 40;
  double tail = x;
  for (int k = levels; k > 0; --k) tail = x + k / tail;
  return 1.0 / tail;
}

inline double density(double x) { return std::exp(-0.5 * x * x - log_root_two_pi); }

/// Phi(x), with relative error (4 + x^2) eps.
inline double below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// log Phi(x), with relative error 4 eps below tail_begins, and (4 + x^2) eps above. It is about
/// -x^2 / 2 far below 0, and -phi(x) / x far above.
inline double log_below(double x) {
  if (x < tail_begins) return -0.5 * x * x - log_root_two_pi + std::log(mills_ratio(-x));
  return x > 0 ? std::log1p(-below(-x)) : std::log(below(x));
}

/// (log Phi)'(x) = phi(x) / Phi(x), with the same accuracy; about -x far below 0, phi(x) far above.
inline double log_below_slope(double x) {
  return x < tail_begins ? 1.0 / mills_ratio(-x) : density(x) / below(x);
}

/// A weight is phi(z) / Phi(z); values are -log Phi(z).
struct Link {
  class Sum {
   public:
    void add(double value) { total_ += value; }
    double total() const { return total_; }

   private:
    double total_ = 0.0;
  };

  /// Takes an exponential and an error function for each case; a value takes a logarithm and up to
  /// two more functions.
  template <bool wants_value>
  static void to_weights(double* z, Index count, Sum& sum) {
    for (Index n = 0; n < count; ++n) {
      if constexpr (wants_value) sum.add(-log_below(z[n]));
      z[n] = log_below_slope(z[n]);
    }
  }

  /// z -> Phi(z).
  static void to_probabilities(Batch z) { z = z.unaryExpr(&below); }
  static double probability(double z) { return std::exp(log_below(z)); }
  static double log_probability(double z) { return log_below(z); }

  /// phi(z)^2 / (Phi(z) Phi(-z)) as the product of two weights; about |z| phi(z) far from 0.
  static double slope(double z) { return log_below_slope(z) * log_below_slope(-z); }
  /// Follows from (log Phi)''(z) = -w(z) (z + w(z)) with w = phi / Phi.
  static double bend(double z) {
    const double up = log_below_slope(z);
    const double down = log_below_slope(-z);
    return up * down * (down - up - 2 * z);
  }
};

using Likelihood = regression::Likelihood<Link>;

}  // namespace mixwell::probit
