// Draws in units in which no figure of them overflows or vanishes.
// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace mixwell::diagnostics {
namespace {

using Eigen::MatrixXd;

/// 2^166 is 1e50: fourth powers of deviations of that size, and sums of 1e50 of them, are doubles.
constexpr int most_exponent = 166;

int exponent_of(const Draws& x) {
  if (x.size() == 0 || !x.allFinite()) return 0;
  const double low = x.minCoeff();
  const double high = x.maxCoeff();
  const double half_range = high / 2 - low / 2;
  const double size = half_range > 0 ? half_range : std::abs(high);
  if (size == 0) return 0;
  const int exponent = std::ilogb(size);
  return std::abs(exponent) <= most_exponent ? 0 : exponent;
}

MatrixXd scaled(const Draws& x, int exponent) {
  if (exponent == 0) return {};
  return x.unaryExpr([exponent](double value) { return std::ldexp(value, -exponent); });
}

}  // namespace

bool is_constant(const Draws& x) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double low = x.minCoeff();
  const double high = x.maxCoeff();
  return high - low <= rounding * std::max(std::abs(low), std::abs(high));
}

InUnits::InUnits(const Draws& x)
    : exponent_(exponent_of(x)),
      scaled_(scaled(x, exponent_)),
      draws_(exponent_ == 0 ? x : Draws(scaled_)) {}

}  // namespace mixwell::diagnostics
