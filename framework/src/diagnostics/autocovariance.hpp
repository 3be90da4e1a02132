// Autocovariances of chains, lag by lag or by the fast Fourier transform.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

#include <vector>

namespace mixwell::diagnostics {

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
