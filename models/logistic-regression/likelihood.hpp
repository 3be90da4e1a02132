// The likelihood of a logistic regression: P(positive) = F(z) = 1 / (1 + exp(-z)).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../regression/likelihood.hpp"
#include "weights.hpp"

#include <algorithm>
#include <cmath>

namespace mixwell::logistic {

/// A weight is 1 / (1 + exp(z)); values are softplus(-z). A weight takes an exponential and a
/// division. 2000 values together take two more logarithms.
struct Link {
  using Sum = SoftplusSum;

  template <bool wants_value>
  static void to_weights(double* z, Index count, Sum& value) {
    logistic::to_weights<wants_value>(z, count, value);
  }

  /// z -> 1 / (1 + exp(-z)).
  static void to_probabilities(Batch z) { z = (1.0 + (-z.array()).exp()).inverse().matrix(); }
  static double probability(double z) { return 1 / (1 + std::exp(-z)); }
  static double log_probability(double z) {
    return std::min(z, 0.0) - std::log1p(std::exp(-std::abs(z)));
  }

  /// 1 / (1 + e^z) / (1 + e^-z), without overflow.
  static double slope(double z) {
    const double e = std::exp(-std::abs(z));
    return e / ((1 + e) * (1 + e));
  }
  /// The derivative of slope, -slope(z) tanh(z / 2).
  static double bend(double z) {
    const double e = std::exp(-std::abs(z));
    return -e / ((1 + e) * (1 + e)) * std::copysign((1 - e) / (1 + e), z);
  }
};

using Likelihood = regression::Likelihood<Link>;

}  // namespace mixwell::logistic
