// Rank-normalised split R-hat, effective sample sizes by Geyer's rule, and Monte Carlo errors.
// SPDX-License-Identifier: Apache-2.0
#include "base/not_available.hpp"
#include "diagnostics/autocovariance.hpp"
#include "diagnostics/ranks.hpp"

#include <mixwell/lab/diagnostics.hpp>

#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::diagnostics {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

bool is_one_number(const Draws& x) { return x.size() > 0 && x.allFinite() && is_constant(x); }

bool has_spread(const Draws& x) { return x.size() > 0 && x.allFinite() && !is_constant(x); }

double larger(double a, double b) { return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b); }
double smaller(double a, double b) { return -larger(-a, -b); }

// Variance with the denominator n - 1. NaN for a single value; exactly 0 if all values are equal.
double variance(const Draws& x) {
  if (x.size() > 1 && x.allFinite() && x.minCoeff() == x.maxCoeff()) return 0;
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

double order_statistic(const std::vector<PlacedDraw>& order, double rank_from_1) {
  const auto last = static_cast<double>(order.size());
  return order[static_cast<std::size_t>(std::clamp(rank_from_1, 1.0, last)) - 1].value;
}

// Quantile of x. `order`: the draws of x in ascending order, without NaN. NaN if x has a NaN.
double quantile_of(const Draws& x, const std::vector<PlacedDraw>& order, double p) {
  if (order.empty() || static_cast<Index>(order.size()) != x.size()) return not_available;
  // The product has its own variable, because a fused 1 + (n - 1) p could round an exact rank away
  // from its integer. The quantile would then be above or below other draws.
  volatile double product = static_cast<double>(order.size() - 1) * p;
  const double rank = 1 + product;
  const double low = order_statistic(order, std::floor(rank));
  const double high = order_statistic(order, std::ceil(rank));
  const double weight = rank - std::floor(rank);
  return low == high || weight == 0 ? low : (1 - weight) * low + weight * high;
}

// The ordered draws, without the middle draws that belong to neither half.
std::vector<PlacedDraw> split(std::vector<PlacedDraw> order) {
  std::erase_if(order, [](const PlacedDraw& draw) { return draw.place < 0; });
  return order;
}

// Replaces each group of `together` neighbouring columns by its mean. The chains of a group depend
// on each other, so they become one chain.
MatrixXd joined(const MatrixXd& x, Index together) {
  MatrixXd means(x.rows(), x.cols() / together);
  for (Index c = 0; c < means.cols(); ++c) {
    means.col(c) = x.middleCols(c * together, together).rowwise().mean();
  }
  return means;
}

// Classic R-hat of chains that are already split. Infinite if every chain is constant but the
// chains differ.
double split_rhat(const MatrixXd& chains, Index together) {
  if (chains.rows() < 2 || !has_spread(chains)) return not_available;
  const MatrixXd x = together == 1 ? chains : joined(chains, together);
  if (!has_spread(x)) return not_available;
  const double n = static_cast<double>(x.rows());
  double within = 0;
  for (Index c = 0; c < x.cols(); ++c) within += variance(x.col(c)) / static_cast<double>(x.cols());
  const double between = n * variance(chain_means(x));
  return std::sqrt((between / within + n - 1) / n);
}

// Integrated autocorrelation time by Geyer's initial monotone sequence. Adds pairs rho(2k) +
// rho(2k+1) while they are positive. No pair may exceed the pair before it. The first pair that is
// not positive ends the sum and adds only rho(2k), once. If no second pair is reached, the time is
// 2 by convention.
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

// Effective sample size of chains that are already split. It is at most n log10 n for n draws.
double independent_split_ess(const MatrixXd& x, Fourier& fourier) {
  if (x.rows() < 3 || !has_spread(x)) return not_available;
  MatrixXd y = centred(x);
  const double n = static_cast<double>(y.rows());
  const VectorXd means = chain_means(y);
  y.rowwise() -= means.transpose();
  Autocovariances covariance(y, fourier);
  const double variance_of_draws = covariance.at(0);
  const double within = variance_of_draws * n / (n - 1);
  const double total = variance_of_draws + (y.cols() > 1 ? variance(means) : 0);
  const auto rho = [&](Index t) { return 1 - (within - covariance.at(t)) / total; };
  const double size = static_cast<double>(y.size());
  return size / std::max(autocorrelation_time(y.rows(), rho), 1 / std::log10(size));
}

}  // namespace

// Effective sample size of split chains that are independent only in groups of `together`. It is
// the number of independent draws whose average has the same variance as the average of all draws.
double split_ess(const MatrixXd& x, Index together, Fourier& fourier) {
  if (together == 1) return independent_split_ess(x, fourier);
  if (x.rows() < 3 || !has_spread(x)) return not_available;
  const MatrixXd one = joined(x, together);
  const double size = static_cast<double>(x.size());
  const double ess = independent_split_ess(one, fourier) * variance(x) / variance(one);
  return std::min(ess, size * std::log10(size));
}

namespace {

void check_probability(double p) {
  if (p >= 0 && p <= 1) return;
  throw std::invalid_argument("quantile: the probability must be between 0 and 1 (got " +
                              std::to_string(p) + ")");
}

// Effective sample size of 1{x <= threshold}.
double ess_below(const Draws& x, double threshold, Index together, Fourier& fourier) {
  if (!has_spread(x)) return not_available;
  return split_ess(split((x.array() <= threshold).cast<double>().matrix()), together, fourier);
}

// Effective sample size of 1{x <= quantile(x, p)}. p = 1 is reduced slightly, because the indicator
// would be constant at 1.
double ess_quantile(const Draws& x, const std::vector<PlacedDraw>& order, double p, Index together,
                    Fourier& fourier) {
  const double n = static_cast<double>(x.size());
  return ess_below(x, quantile_of(x, order, p == 1 ? (n - 0.5) / n : p), together, fourier);
}

// In the following functions, x is in the units of InUnits.

double sd_in_units(const Draws& x) { return x.size() < 2 ? not_available : std::sqrt(variance(x)); }

double mcse_mean_in_units(const Draws& x, Index together, Fourier& fourier) {
  return sd_in_units(x) / std::sqrt(split_ess(split(x), together, fourier));
}

// Delta method: var(sd) = var(second moment) / (4 second moment).
double mcse_sd_in_units(const Draws& x, Index together, Fourier& fourier) {
  const MatrixXd square = centred(x).array().square();
  const double second = two_pass_mean(square);
  const double fourth = two_pass_mean(square.array().square().matrix());
  const double size = split_ess(split(square), together, fourier);
  return std::sqrt((fourth - second * second) / size / second / 4);
}

// Computes a figure of x in safe units and converts it to the units of x.
template <class Figure, class... More>
double in_units(const Draws& x, const Figure& figure, More&&... more) {
  const InUnits units(x);
  return units.back(figure(units.draws(), more...));
}

// The larger of the two R-hats. If the chains are constant but differ, `normalised` is infinite.
// `folded` may then be NaN, because all chains may have the same distance from the median.
double rhat_of(double normalised, double folded) {
  return std::isinf(normalised) ? normalised : larger(normalised, folded);
}

// Split R-hat of the rank-normalised |x - median|. `order`: the draws of the halves in ascending
// order.
double folded_rhat(const std::vector<PlacedDraw>& order, double median, const NormalScores& scores,
                   const Halves& halves, Index together) {
  if (!std::isfinite(median)) return not_available;
  return split_rhat(rank_normalised(folded(order, median), scores, halves), together);
}

}  // namespace

double rhat(const Draws& x, Index together) {
  if (is_one_number(x)) return not_available;
  const Halves halves(x.rows(), x.cols());
  const NormalScores scores(halves.size());
  std::vector<PlacedDraw> order = in_order(x);
  const double median = quantile_of(x, order, 0.5);
  order = split(std::move(order));
  return rhat_of(split_rhat(rank_normalised(order, scores, halves), together),
                 folded_rhat(order, median, scores, halves, together));
}

double ess_bulk(const Draws& x, Index together) {
  if (is_one_number(x)) return not_available;
  const Halves halves(x.rows(), x.cols());
  const NormalScores scores(halves.size());
  Fourier fourier;
  return split_ess(rank_normalised(split(in_order(x)), scores, halves), together, fourier);
}

double ess_tail(const Draws& x, Index together) {
  const std::vector<PlacedDraw> order = in_order(x);
  Fourier fourier;
  return smaller(ess_quantile(x, order, 0.05, together, fourier),
                 ess_quantile(x, order, 0.95, together, fourier));
}

double ess_mean(const Draws& x, Index together) {
  const InUnits units(x);
  Fourier fourier;
  return split_ess(split(units.draws()), together, fourier);
}

double mcse_mean(const Draws& x, Index together) {
  Fourier fourier;
  return in_units(x, mcse_mean_in_units, together, fourier);
}

double mcse_sd(const Draws& x, Index together) {
  Fourier fourier;
  return in_units(x, mcse_sd_in_units, together, fourier);
}

// Half the distance between the order statistics at the +-1 sigma points of a Beta distribution.
// This is the distribution of the quantile's rank, with the effective sample size as the sample
// size.
double mcse_quantile(const Draws& x, double p, Index together) {
  check_probability(p);
  const std::vector<PlacedDraw> order = in_order(x);
  Fourier fourier;
  const double ess = ess_quantile(x, order, p, together, fourier);
  if (std::isnan(ess)) return not_available;
  const auto rank = [&](double level) {
    return boost::math::ibeta_inv(ess * p + 1, ess * (1 - p) + 1, level) *
           static_cast<double>(x.size());
  };
  const double low = order_statistic(order, std::floor(rank(0.1586553)));
  const double high = order_statistic(order, std::ceil(rank(0.8413447)));
  return (high - low) / 2;
}

double mean(const Draws& x) { return in_units(x, two_pass_mean); }

double sd(const Draws& x) { return in_units(x, sd_in_units); }

double quantile(const Draws& x, double p) {
  check_probability(p);
  return quantile_of(x, in_order(x), p);
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

StandardFigures summarise(const Draws& x, Index together, const NormalScores& scores) {
  const Halves halves(x.rows(), x.cols());
  std::vector<PlacedDraw> order = in_order(x);
  const double q5 = quantile_of(x, order, 0.05);
  const double q50 = quantile_of(x, order, 0.5);
  const double q95 = quantile_of(x, order, 0.95);
  order = split(std::move(order));
  const double rhat_of_spread = folded_rhat(order, q50, scores, halves, together);
  const MatrixXd normalised = rank_normalised(order, scores, halves);
  order = {};
  const InUnits units(x);
  const Draws& y = units.draws();
  const bool constant = is_one_number(x);
  Fourier fourier;
  return {
      .mean = units.back(two_pass_mean(y)),
      .sd = units.back(sd_in_units(y)),
      .mcse_mean = units.back(mcse_mean_in_units(y, together, fourier)),
      .mcse_sd = units.back(mcse_sd_in_units(y, together, fourier)),
      .q5 = q5,
      .q50 = q50,
      .q95 = q95,
      .rhat = constant ? not_available : rhat_of(split_rhat(normalised, together), rhat_of_spread),
      .ess_bulk = constant ? not_available : split_ess(normalised, together, fourier),
      .ess_tail =
          smaller(ess_below(x, q5, together, fourier), ess_below(x, q95, together, fourier))};
}

StandardFigures summarise(const Draws& x, Index together) {
  return summarise(x, together, NormalScores(Halves(x.rows(), x.cols()).size()));
}

}  // namespace mixwell::diagnostics
