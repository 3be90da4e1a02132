// Draws in units in which no figure of them overflows or vanishes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <cmath>

namespace mixwell::diagnostics {

/// Whether all draws are one number, or differ by rounding only: their range is at most 4 units in
/// the last place of the largest |x|. At least one draw, all finite.
MIXWELL_INTERNAL bool is_constant(const Draws& x);

/// Draws in units of a power of two near half their range, so that squares and fourth powers of
/// deviations stay within doubles whatever the units of x are; the draws themselves where they do
/// so anyway, or where one is not finite. The division is exact: figures keep their bits.
class MIXWELL_INTERNAL InUnits {
 public:
  /// x outlives this.
  explicit InUnits(const Draws& x);
  InUnits(const InUnits&) = delete;
  InUnits& operator=(const InUnits&) = delete;

  const Draws& draws() const noexcept { return draws_; }
  /// A mean, deviation or error of draws() in the units of x.
  double back(double figure) const { return std::ldexp(figure, exponent_); }

 private:
  int exponent_;
  Eigen::MatrixXd scaled_;
  Draws draws_;
};

}  // namespace mixwell::diagnostics
