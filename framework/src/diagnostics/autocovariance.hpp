// Autocovariances of chains, by the fast Fourier transform.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

namespace mixwell::diagnostics {

/// Mean over all numbers; the second pass takes back the rounding of the first. NaN where some are
/// NaN or of both infinities.
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

}  // namespace mixwell::diagnostics
