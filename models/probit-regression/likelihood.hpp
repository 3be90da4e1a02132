// The likelihood of a probit regression: F = Phi, the distribution function of N(0, 1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/likelihood.hpp"
#include "normal.hpp"

namespace mixwell::probit {

/// A weight is phi(z) / Phi(z); values are -log Phi(z).
struct Link {
  class Sum {
   public:
    void add(double value) { total_ += value; }
    double total() const { return total_; }

   private:
    double total_ = 0.0;
  };

  /// An exponential and an error function a case, and for a value a logarithm and up to two more.
  template <bool wants_value>
  static void to_weights(double* z, Index count, Sum& sum) {
    for (Index n = 0; n < count; ++n) {
      if constexpr (wants_value) sum.add(-log_below(z[n]));
      z[n] = log_below_slope(z[n]);
    }
  }

  static double probability(double z) { return std::exp(log_below(z)); }
  static double log_probability(double z) { return log_below(z); }

  /// phi(z)^2 / (Phi(z) Phi(-z)) as the product of two weights: about |z| phi(z) far from 0.
  static double slope(double z) { return log_below_slope(z) * log_below_slope(-z); }
  /// From (log Phi)''(z) = -w(z) (z + w(z)) with w = phi / Phi.
  static double bend(double z) {
    const double up = log_below_slope(z);
    const double down = log_below_slope(-z);
    return up * down * (down - up - 2 * z);
  }
};

using Likelihood = regression::Likelihood<Link>;

}  // namespace mixwell::probit
