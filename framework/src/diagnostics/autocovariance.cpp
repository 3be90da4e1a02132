// Scales draws to avoid overflow, and computes autocovariances by sums or Fourier transforms.
// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/autocovariance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace mixwell::diagnostics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

/// 2^166 is 1e50. Fourth powers of deviations up to this size, and sums of 1e50 fourth powers, do
/// not overflow.
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

// A complex series padded with zeros to `length`: its real part is chain c minus its mean, its
// imaginary part is chain c + 1 minus its mean.
VectorXcd padded_pair(const MatrixXd& x, const VectorXd& means, Index c, Index length) {
  VectorXcd z = VectorXcd::Zero(length);
  z.head(x.rows()).real() = x.col(c).array() - means[c];
  if (c + 1 < x.cols()) z.head(x.rows()).imag() = x.col(c + 1).array() - means[c + 1];
  return z;
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

double two_pass_mean(const Eigen::Ref<const MatrixXd>& x) {
  if (x.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  const double first = x.mean();
  return std::isfinite(first) ? first + (x.array() - first).mean() : first;
}

MatrixXd centred(const Eigen::Ref<const MatrixXd>& x) {
  if (x.size() == 0) return x;
  const MatrixXd nearly = x.array() - x.mean();
  return nearly.array() - nearly.mean();
}

// The real part of the autocovariance of a complex series is the sum of the autocovariances of its
// real and imaginary parts. So all chains share one inverse transform.
VectorXd mean_autocovariance(const MatrixXd& x, const VectorXd& means, Fourier& fourier) {
  const auto n = static_cast<std::size_t>(x.rows());
  const auto length = static_cast<Index>(std::bit_ceil(2 * n));
  VectorXcd spectrum(length);
  VectorXcd power = VectorXcd::Zero(length);
  for (Index c = 0; c < x.cols(); c += 2) {
    const VectorXcd series = padded_pair(x, means, c, length);
    fourier.fwd(spectrum, series);
    power.real() += spectrum.cwiseAbs2();
  }
  fourier.inv(spectrum, power);
  return spectrum.head(x.rows()).real() / static_cast<double>(x.size());
}

VectorXd autocorrelations(const Draws& x) {
  const InUnits units(x);
  Fourier fourier;
  VectorXd sum = VectorXd::Zero(x.rows());
  for (Index c = 0; c < x.cols(); ++c)
    sum += mean_autocovariance(centred(units.draws().col(c)), VectorXd::Zero(1), fourier);
  return sum / sum[0];
}

double Autocovariances::at(Index lag) {
  if (lag < most_summed) {
    while (std::ssize(first_) <= lag) sum_more();
    return first_[static_cast<std::size_t>(lag)];
  }
  if (all_.size() == 0)
    all_ = mean_autocovariance(deviations_, VectorXd::Zero(deviations_.cols()), fourier_);
  return all_[lag];
}

void Autocovariances::sum_more() {
  const Index rows = deviations_.rows();
  const auto begin = static_cast<Index>(first_.size());
  const Index end = std::min(begin + together, rows);
  VectorXd sums = VectorXd::Zero(end - begin);
  for (Index c = 0; c < deviations_.cols(); ++c)
    for (Index lag = begin; lag < end; ++lag)
      sums[lag - begin] +=
          deviations_.col(c).head(rows - lag).dot(deviations_.col(c).tail(rows - lag));
  for (const double sum : sums) first_.push_back(sum / static_cast<double>(deviations_.size()));
}

}  // namespace mixwell::diagnostics
