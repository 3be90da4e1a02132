// Rank-normalised split R-hat, effective sample sizes by Geyer's rule, and Monte Carlo errors.
// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/autocovariance.hpp"

#include <mixwell/lab/diagnostics.hpp>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace mixwell::diagnostics {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double not_available = std::numeric_limits<double>::quiet_NaN();

using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

bool is_constant(const Draws& x) {
  return std::abs(x.maxCoeff() - x.minCoeff()) < std::numeric_limits<double>::epsilon();
}

bool has_spread(const Draws& x) { return x.size() > 0 && x.allFinite() && !is_constant(x); }

double larger(double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b); }
double smaller(double a, double b) { return -larger(-a, -b); }

// Denominator n - 1; NaN for a single value.
double variance(const Draws& x) {
  const double centre = two_pass_mean(x);
  return (x.array() - centre).square().sum() / static_cast<double>(x.size() - 1);
}

VectorXd chain_means(const MatrixXd& x) {
  VectorXd means(x.cols());
  for (Index c = 0; c < x.cols(); ++c) means[c] = two_pass_mean(x.col(c));
  return means;
}

MatrixXd split(const Draws& x) {
  if (x.rows() < 2) return x;
  const Index half = x.rows() / 2;
  MatrixXd halves(half, 2 * x.cols());
  halves << x.topRows(half), x.bottomRows(half);
  return halves;
}

// All draws in ascending order; none if there is a NaN.
std::vector<double> in_order(const Draws& x) {
  if (x.hasNaN()) return {};
  std::vector<double> values(static_cast<std::size_t>(x.size()));
  MatrixXd::Map(values.data(), x.rows(), x.cols()) = x;
  std::sort(values.begin(), values.end());
  return values;
}

double order_statistic(const std::vector<double>& sorted, double rank_from_1) {
  const auto last = static_cast<double>(sorted.size());
  return sorted[static_cast<std::size_t>(std::clamp(rank_from_1, 1.0, last)) - 1];
}

double quantile_of(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return not_available;
  // Stored, because contracting 1 + (n - 1) p into one operation would round an exact rank away
  // from its integer, and with it the draws that count as below the quantile.
  volatile double product = static_cast<double>(sorted.size() - 1) * p;
  const double rank = 1 + product;
  const double low = order_statistic(sorted, std::floor(rank));
  const double high = order_statistic(sorted, std::ceil(rank));
  const double weight = rank - std::floor(rank);
  return low == high || weight == 0 ? low : (1 - weight) * low + weight * high;
}

// Ranks from 1 over all chains; tied values share their average rank. No NaN in x.
MatrixXd ranks(const MatrixXd& x) {
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const double* const value = x.data();
  std::sort(order.begin(), order.end(), [=](Index a, Index b) { return value[a] < value[b]; });
  MatrixXd result(x.rows(), x.cols());
  for (auto first = order.begin(); first != order.end();) {
    const auto last =
        std::find_if(first, order.end(), [=](Index i) { return value[i] != value[*first]; });
    const auto sum = static_cast<double>((first - order.begin()) + (last - order.begin()) + 1);
    for (; first != last; ++first) result.data()[*first] = sum / 2;
  }
  return result;
}

double normal_quantile(double p) {
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p, InDouble());
}

// Normal scores: the quantiles at (rank - 3/8) / (n + 1/4) (Blom). A NaN anywhere makes all NaN.
MatrixXd rank_normalised(const MatrixXd& x) {
  if (x.hasNaN()) return MatrixXd::Constant(x.rows(), x.cols(), not_available);
  const double n = static_cast<double>(x.size());
  return ranks(x).unaryExpr([n](double r) { return normal_quantile((r - 0.375) / (n + 0.25)); });
}

// The mean of every `together` neighbouring columns: chains that are not independent become one.
MatrixXd joined(const MatrixXd& x, Index together) {
  MatrixXd means(x.rows(), x.cols() / together);
  for (Index c = 0; c < means.cols(); ++c) {
    means.col(c) = x.middleCols(c * together, together).rowwise().mean();
  }
  return means;
}

// Classic R-hat of chains that are split already.
double split_rhat(const MatrixXd& chains, Index together) {
  if (!has_spread(chains)) return not_available;
  const MatrixXd x = together == 1 ? chains : joined(chains, together);
  if (!has_spread(x)) return not_available;
  const double n = static_cast<double>(x.rows());
  double within = 0;
  for (Index c = 0; c < x.cols(); ++c) within += variance(x.col(c)) / static_cast<double>(x.cols());
  const double between = n * variance(chain_means(x));
  return std::sqrt((between / within + n - 1) / n);
}

// Integrated autocorrelation time by Geyer's initial monotone sequence. Sums rho(2k) + rho(2k+1)
// are taken while positive, each at most its predecessor; of the pair where this ends, rho(2k)
// alone counts, once. Where not even a second pair is looked at, the time is 2 by convention.
template <class Autocorrelation>
double autocorrelation_time(Index n, Autocorrelation rho) {
  double pair = 1 + rho(1);
  double smallest = pair;
  double tau = -1;
  Index t = 0;
  double even = 1;
  while (t < n - 5 && pair > 0) {
    smallest = std::min(smallest, pair);
    tau += 2 * smallest;
    t += 2;
    even = rho(t);
    pair = even + rho(t + 1);
  }
  if (t == 0) return 2;
  return pair >= 0 || even > 0 ? tau + even : tau;
}

// Effective sample size of chains that are split already: at most n log10 n.
double independent_split_ess(const MatrixXd& x) {
  if (x.rows() < 3 || !has_spread(x)) return not_available;
  const MatrixXd y = centred(x);
  const double n = static_cast<double>(y.rows());
  const VectorXd means = chain_means(y);
  const VectorXd covariance = mean_autocovariance(y, means);
  const double within = covariance[0] * n / (n - 1);
  const double total = covariance[0] + (y.cols() > 1 ? variance(means) : 0);
  const auto rho = [&](Index t) { return 1 - (within - covariance[t]) / total; };
  const double size = static_cast<double>(y.size());
  return size / std::max(autocorrelation_time(y.rows(), rho), 1 / std::log10(size));
}

// The same of chains that are independent in groups of `together` alone: as many independent draws
// as have an average with the variance that the average of all has.
double split_ess(const MatrixXd& x, Index together) {
  if (together == 1) return independent_split_ess(x);
  if (x.rows() < 3 || !has_spread(x)) return not_available;
  const MatrixXd one = joined(x, together);
  const double size = static_cast<double>(x.size());
  const double ess = independent_split_ess(one) * variance(x) / variance(one);
  return std::min(ess, size * std::log10(size));
}

void check_probability(double p) {
  if (p >= 0 && p <= 1) return;
  throw std::invalid_argument("quantile: probability " + std::to_string(p) +
                              " is not between 0 and 1");
}

// Effective sample size of 1{x <= threshold}.
double ess_below(const Draws& x, double threshold, Index together) {
  if (!has_spread(x)) return not_available;
  return split_ess(split((x.array() <= threshold).cast<double>().matrix()), together);
}

// Effective sample size of 1{x <= quantile(x, p)}. p = 1 is moved inwards, where it is not
// constant.
double ess_quantile(const Draws& x, const std::vector<double>& sorted, double p, Index together) {
  const double n = static_cast<double>(x.size());
  return ess_below(x, quantile_of(sorted, p == 1 ? (n - 0.5) / n : p), together);
}

// The larger of the split R-hats: `scores` of the draws themselves, and of |x - median|.
double larger_rhat(const Draws& x, const MatrixXd& scores, double median, Index together) {
  const MatrixXd folded = (x.array() - median).abs();
  return larger(split_rhat(scores, together), split_rhat(rank_normalised(split(folded)), together));
}

}  // namespace

double rhat(const Draws& x, Index together) {
  return larger_rhat(x, rank_normalised(split(x)), quantile(x, 0.5), together);
}

double ess_bulk(const Draws& x, Index together) {
  return split_ess(rank_normalised(split(x)), together);
}

double ess_tail(const Draws& x, Index together) {
  const std::vector<double> sorted = in_order(x);
  return smaller(ess_quantile(x, sorted, 0.05, together), ess_quantile(x, sorted, 0.95, together));
}

double ess_mean(const Draws& x, Index together) { return split_ess(split(x), together); }

double mcse_mean(const Draws& x, Index together) {
  return sd(x) / std::sqrt(ess_mean(x, together));
}

// Delta method: var(sd) = var(second moment) / (4 second moment).
double mcse_sd(const Draws& x, Index together) {
  const MatrixXd square = centred(x).array().square();
  const double second = mean(square);
  const double fourth = mean(square.array().square().matrix());
  return std::sqrt((fourth - second * second) / ess_mean(square, together) / second / 4);
}

// Half the distance of the order statistics at the +-1 sigma points of the Beta law of the
// quantile's rank, whose sample size is the effective one.
double mcse_quantile(const Draws& x, double p, Index together) {
  check_probability(p);
  const std::vector<double> sorted = in_order(x);
  const double ess = ess_quantile(x, sorted, p, together);
  if (std::isnan(ess)) return not_available;
  const auto rank = [&](double level) {
    return boost::math::ibeta_inv(ess * p + 1, ess * (1 - p) + 1, level) *
           static_cast<double>(x.size());
  };
  const double low = order_statistic(sorted, std::floor(rank(0.1586553)));
  const double high = order_statistic(sorted, std::ceil(rank(0.8413447)));
  return (high - low) / 2;
}

double mean(const Draws& x) { return x.size() == 0 ? not_available : two_pass_mean(x); }

double sd(const Draws& x) { return x.size() < 2 ? not_available : std::sqrt(variance(x)); }

double quantile(const Draws& x, double p) {
  check_probability(p);
  return quantile_of(in_order(x), p);
}

VectorXd ebfmi(const Draws& energy) {
  VectorXd fraction(energy.cols());
  for (Index c = 0; c < energy.cols(); ++c) {
    const VectorXd e = energy.col(c);
    const double jumps =
        e.size() < 2 ? 0 : (e.tail(e.size() - 1) - e.head(e.size() - 1)).squaredNorm();
    fraction[c] = jumps / (e.array() - mean(e)).square().sum();
  }
  return fraction;
}

double least_reliable_ess(Index chains) {
  return std::max(100.0, 10.0 * 2.0 * static_cast<double>(chains));
}

StandardFigures summarise(const Draws& x, Index together) {
  const std::vector<double> sorted = in_order(x);
  const MatrixXd scores = rank_normalised(split(x));
  const double q5 = quantile_of(sorted, 0.05);
  const double q50 = quantile_of(sorted, 0.5);
  const double q95 = quantile_of(sorted, 0.95);
  return {.mean = mean(x),
          .sd = sd(x),
          .mcse_mean = mcse_mean(x, together),
          .mcse_sd = mcse_sd(x, together),
          .q5 = q5,
          .q50 = q50,
          .q95 = q95,
          .rhat = larger_rhat(x, scores, q50, together),
          .ess_bulk = split_ess(scores, together),
          .ess_tail = smaller(ess_below(x, q5, together), ess_below(x, q95, together))};
}

}  // namespace mixwell::diagnostics
