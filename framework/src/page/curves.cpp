// Computes the curves for the plots of one scalar from all its draws.
// SPDX-License-Identifier: Apache-2.0
#include "page/curves.hpp"

#include "diagnostics/autocovariance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mixwell::page {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double small_correlation = 0.05;
/// Cutoff of the kernel in standard deviations; exp(-z^2 / 2) is below 4e-6 there.
constexpr double kernel_reach = 5.0;

/// The cell that contains `value` if [low, high] is divided into `cells` equal cells. `high`
/// belongs to the last cell.
Index cell_of(double value, double low, double high, Index cells) {
  const double at = (value - low) / (high - low) * static_cast<double>(cells);
  return std::clamp<Index>(static_cast<Index>(at), 0, cells - 1);
}

double silverman_width(const Draws& x) {
  const double spread = diagnostics::quantile(x, 0.75) - diagnostics::quantile(x, 0.25);
  const double sd = diagnostics::sd(x);
  const double scale = spread > 0 ? std::min(sd, spread / 1.34) : sd;
  return 0.9 * scale * std::pow(static_cast<double>(x.size()), -0.2);
}

/// Mass at each point of a grid. The mass of each draw is divided between its two neighbouring
/// points.
VectorXd binned(const Draws& x, const Draws& w, const Grid& grid, Index points) {
  VectorXd mass = VectorXd::Zero(points);
  for (Index c = 0; c < x.cols(); ++c) {
    for (Index i = 0; i < x.rows(); ++i) {
      const double at = (x(i, c) - grid.start) / grid.step;
      const Index left = std::clamp<Index>(static_cast<Index>(at), 0, points - 2);
      const double right = std::clamp(at - static_cast<double>(left), 0.0, 1.0);
      const double weight = w.size() == 0 ? 1.0 : w(i, c);
      mass[left] += weight * (1 - right);
      mass[left + 1] += weight * right;
    }
  }
  return mass;
}

/// Reflects k into the grid if k is beyond one of the two ends.
Index reflected(Index k, Index points) {
  const Index period = 2 * (points - 1);
  const Index folded = ((k % period) + period) % period;
  return folded < points ? folded : period - folded;
}

VectorXd smoothed(const VectorXd& mass, double width_in_steps) {
  const Index points = mass.size();
  const Index reach = static_cast<Index>(std::ceil(kernel_reach * width_in_steps));
  VectorXd kernel(reach + 1);
  for (Index k = 0; k <= reach; ++k) {
    const double z = static_cast<double>(k) / width_in_steps;
    kernel[k] = std::exp(-0.5 * z * z);
  }
  VectorXd sum = VectorXd::Zero(points);
  for (Index i = 0; i < points; ++i)
    for (Index k = -reach; k <= reach; ++k)
      sum[i] += kernel[std::abs(k)] * mass[reflected(i + k, points)];
  return sum;
}

/// Scales f so that its integral by the trapezoidal rule is 1.
VectorXd normalised(const VectorXd& f, double step) {
  const double ends = (f[0] + f[f.size() - 1]) / 2;
  return f / ((f.sum() - ends) * step);
}

VectorXd strided(const VectorXd& x, Index every, Index count) {
  return x(Eigen::seqN(0, count, every));
}

}  // namespace

MatrixXd thinned(const Draws& x, Index every) {
  return x(Eigen::seqN(0, (x.rows() + every - 1) / every, every), Eigen::all);
}

MatrixXd rank_counts(const Draws& x, Index bins) {
  const Index n = x.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](Index k) { return x(k % x.rows(), k / x.rows()); };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return value(a) < value(b); });
  MatrixXd counts = MatrixXd::Zero(bins, x.cols());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && value(order[last]) == value(order[first])) ++last;
    const double rank = (static_cast<double>(first) + static_cast<double>(last)) / 2;
    const Index bin = cell_of(rank, 0.0, static_cast<double>(n), bins);
    for (std::size_t k = first; k < last; ++k) counts(bin, order[k] / x.rows()) += 1;
  }
  return counts;
}

Grid density(const Draws& x, const Draws& w, const std::vector<Index>& chosen, Index points) {
  Grid grid;
  grid.start = x.minCoeff();
  grid.step = (x.maxCoeff() - grid.start) / static_cast<double>(points - 1);
  grid.values.resize(points, static_cast<Index>(chosen.size()) + 1);
  // A kernel narrower than a step would show the grid instead of the draws.
  const double width = std::max(silverman_width(x) / grid.step, 0.5);
  const auto estimate = [&](const Draws& y, const Draws& v) {
    return normalised(smoothed(binned(y, v, grid, points), width), grid.step);
  };
  grid.values.col(0) = estimate(x, w);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Index c = chosen[k];
    grid.values.col(static_cast<Index>(k) + 1) =
        w.size() == 0 ? estimate(x.col(c), w) : estimate(x.col(c), w.col(c));
  }
  return grid;
}

VectorXd histogram(const Draws& x, double low, double high, Index bins) {
  VectorXd counts = VectorXd::Zero(bins);
  for (const double value : x.reshaped())
    if (value >= low && value <= high) counts[cell_of(value, low, high, bins)] += 1;
  return counts;
}

MatrixXd autocorrelations(const Draws& x, const std::vector<Index>& chosen, Index end,
                          Index every) {
  MatrixXd columns((end + every - 1) / every, static_cast<Index>(chosen.size()) + 1);
  columns.col(0) = strided(diagnostics::autocorrelations(x), every, columns.rows());
  for (std::size_t k = 0; k < chosen.size(); ++k)
    columns.col(static_cast<Index>(k) + 1) =
        strided(diagnostics::autocorrelations(x.col(chosen[k])), every, columns.rows());
  return columns;
}

Index decorrelation_lag(const Draws& x) {
  const VectorXd rho = diagnostics::autocorrelations(x);
  const auto found =
      std::find_if(rho.begin(), rho.end(), [](double r) { return r < small_correlation; });
  return found - rho.begin();
}

}  // namespace mixwell::page
