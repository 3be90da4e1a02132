// When enough cases have been looked at to tell a mean from a threshold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ratio.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <vector>

namespace mixwell::subsampled {

/// How many cases have been seen at each look: the first batch, then twice as many each time while
/// that is below N. The look after the last is at all cases.
inline std::vector<Index> looks_of(Index first, Index cases) {
  std::vector<Index> looks;
  for (Index t = first; t < cases; t *= 2) looks.push_back(t);
  return looks;
}

/// Whether the mean is told from `threshold`.
class Stopping {
 public:
  /// `error`: of a look of the sequential test, or of all `looks` together of the bound.
  Stopping(double error, std::size_t looks, std::optional<double> lipschitz)
      : error_(error), looks_(static_cast<double>(looks)), lipschitz_(lipschitz) {}

  bool is_bound() const noexcept { return lipschitz_.has_value(); }
  /// `distance`: |theta* - theta|.
  bool is_enough(const Ratio& of, double threshold, double distance) const {
    const double off = std::abs(of.mean() - threshold);
    return is_bound() ? off > half_width(of, distance) : tail(of, off) < error_;
  }
  /// Of |l_n|.
  double largest(double distance) const { return *lipschitz_ * distance; }

 private:
  /// Of the mean, by the empirical Bernstein inequality (Audibert, Munos & Szepesvari 2009, theorem
  /// 1): with range r and x = log(3 looks / error), sqrt(2 s^2 x / t) + 3 r x / t; r is twice the
  /// largest |l_n|.
  double half_width(const Ratio& of, double distance) const {
    const double x = std::log(3.0 * looks_ / error_);
    return std::sqrt(2.0 * of.variance() * x / of.count()) +
           6.0 * largest(distance) * x / of.count();
  }

  /// P(N(0, 1) > off / se), instead of Student's t of t - 1 >= 29 degrees of freedom.
  static double tail(const Ratio& of, double off) {
    const double se = std::sqrt(of.variance() / (of.count() - 1.0));
    if (!(se > 0.0)) return off > 0.0 ? 0.0 : 1.0;
    return 0.5 * std::erfc(off / se / std::numbers::sqrt2);
  }

  double error_;
  double looks_;
  std::optional<double> lipschitz_;
};

}  // namespace mixwell::subsampled
