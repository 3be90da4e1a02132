// Scales draws to avoid overflow, and computes autocovariances by sums or Fourier transforms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

#include <cmath>
#include <vector>

namespace mixwell::diagnostics {

/// Whether all draws are equal up to rounding: their range is at most 4 units in the last place of
/// the largest |x|. Requires at least one draw. All draws must be finite.
MIXWELL_INTERNAL bool is_constant(const Draws& x);

/// Draws in units of a power of two near half their range, so that squares and fourth powers of
/// deviations neither overflow nor underflow, whatever the units of x. Holds the original draws if
/// they are already safe or if one of them is not finite. The division is exact, so results keep
/// their bits.
class MIXWELL_INTERNAL InUnits {
 public:
  /// x must outlive this object.
  explicit InUnits(const Draws& x);
  InUnits(const InUnits&) = delete;
  InUnits& operator=(const InUnits&) = delete;

  const Draws& draws() const noexcept { return draws_; }
  /// Converts a mean, deviation or error of draws() back to the units of x.
  double back(double figure) const { return std::ldexp(figure, exponent_); }

 private:
  int exponent_;
  Eigen::MatrixXd scaled_;
  Draws draws_;
};

/// Mean of all numbers. A second pass over the numbers removes the rounding error of the first
/// pass. NaN if a number is NaN, if both infinities occur, or if there are no numbers.
double two_pass_mean(const Eigen::Ref<const Eigen::MatrixXd>& x);

/// x minus its mean. Also subtracts mean(x - mean(x)), so that a large offset of x costs no digits.
MIXWELL_INTERNAL Eigen::MatrixXd centred(const Eigen::Ref<const Eigen::MatrixXd>& x);

/// A Fourier transform that stores the roots of unity for each length it has used.
using Fourier = Eigen::FFT<double>;

/// Autocovariances gamma(k) = sum_i (x_i - m)(x_{i+k} - m) / n at lags 0 .. n - 1, averaged over
/// the columns of x (n >= 1 rows), where m is the mean of the column. All numbers must be finite.
/// O(n log n) per column.
MIXWELL_INTERNAL Eigen::VectorXd mean_autocovariance(const Eigen::MatrixXd& x,
                                                     const Eigen::VectorXd& means,
                                                     Fourier& fourier);

/// Autocorrelations at lags 0 .. n - 1: the mean autocovariance of the columns of x divided by
/// their mean variance. The units of x do not matter. NaN if all columns are constant. All numbers
/// must be finite.
MIXWELL_INTERNAL Eigen::VectorXd autocorrelations(const Draws& x);

/// Averages over columns as in autocovariances(), computed when a lag is requested, because
/// autocorrelation times of chains that mix well need only a few lags. Each early lag costs O(N),
/// where N is the number of elements in all columns. The later lags are computed together at a cost
/// of O(N log n).
class MIXWELL_INTERNAL Autocovariances {
 public:
  /// `deviations`: x minus the mean of each column. `deviations` and `fourier` must outlive this
  /// object.
  Autocovariances(const Eigen::MatrixXd& deviations, Fourier& fourier)
      : deviations_(deviations), fourier_(fourier) {}

  /// 0 <= lag < n.
  double at(Eigen::Index lag);

 private:
  /// Lags below this number are summed directly. A transform took as long as 200 to 400 direct
  /// sums.
  static constexpr Eigen::Index most_summed = 128;
  /// Number of lags that are summed while a column is in the cache.
  static constexpr Eigen::Index together = 8;

  void sum_more();

  const Eigen::MatrixXd& deviations_;
  Fourier& fourier_;
  std::vector<double> first_{};
  Eigen::VectorXd all_{};  ///< of all lags; empty until a later lag is requested
};

}  // namespace mixwell::diagnostics
