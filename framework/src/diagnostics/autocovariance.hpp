// Draws in safe units, and their autocovariances: lag by lag or by the fast Fourier transform.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

#include <cmath>
#include <vector>

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

/// Mean over all numbers; the second pass takes back the rounding of the first. NaN where some are
/// NaN or of both infinities, and where there is none.
double two_pass_mean(const Eigen::Ref<const Eigen::MatrixXd>& x);

/// x less its mean. An offset costs no digits: mean(x - mean(x)) is taken off as well.
MIXWELL_INTERNAL Eigen::MatrixXd centred(const Eigen::Ref<const Eigen::MatrixXd>& x);

/// Keeps the roots of unity of each length that it has transformed.
using Fourier = Eigen::FFT<double>;

/// Autocovariances gamma(k) = sum_i (x_i - m)(x_{i+k} - m) / n at lags 0 .. n - 1, averaged over
/// the columns of x (n >= 1 rows), m being the mean of the column. All finite.
/// O(n log n) a column.
MIXWELL_INTERNAL Eigen::VectorXd mean_autocovariance(const Eigen::MatrixXd& x,
                                                     const Eigen::VectorXd& means,
                                                     Fourier& fourier);

/// Autocorrelations at lags 0 .. n - 1: the mean autocovariance of the columns of x over their mean
/// variance, in any units; NaN where all columns are constant. All finite.
MIXWELL_INTERNAL Eigen::VectorXd autocorrelations(const Draws& x);

/// The same averages, each computed when it is asked for: autocorrelation times of chains that mix
/// end after a few of them. The first ones cost O(N) each for the N numbers of all columns, and
/// what comes after them is computed together, O(N log n).
class MIXWELL_INTERNAL Autocovariances {
 public:
  /// `deviations`: x less the mean of each column. It and `fourier` outlive this.
  Autocovariances(const Eigen::MatrixXd& deviations, Fourier& fourier)
      : deviations_(deviations), fourier_(fourier) {}

  /// 0 <= lag < n.
  double at(Eigen::Index lag);

 private:
  /// Fewer than cost what the transform does: it took as long as 200 to 400 lags.
  static constexpr Eigen::Index most_summed = 128;
  /// Lags that are summed while a column is in the cache.
  static constexpr Eigen::Index together = 8;

  void sum_more();

  const Eigen::MatrixXd& deviations_;
  Fourier& fourier_;
  std::vector<double> first_{};
  Eigen::VectorXd all_{};  ///< empty until a late one is asked for
};

}  // namespace mixwell::diagnostics
