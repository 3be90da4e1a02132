// Mean, standard deviation, quantiles and Monte Carlo errors of weighted draws.
// SPDX-License-Identifier: Apache-2.0
#include "base/not_available.hpp"
#include "diagnostics/autocovariance.hpp"
#include "diagnostics/ranks.hpp"

#include <mixwell/lab/diagnostics.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::diagnostics {
namespace {

using Eigen::ArrayXXd;
using Eigen::MatrixXd;

bool are_weights(const Draws& w) {
  return w.size() > 0 && w.allFinite() && w.minCoeff() >= 0.0 && w.maxCoeff() > 0.0;
}

bool available(const Draws& x, const Draws& w) {
  if (x.rows() != w.rows() || x.cols() != w.cols())
    throw std::invalid_argument("weights: the weights must have the same shape as the draws, " +
                                std::to_string(x.rows()) + " x " + std::to_string(x.cols()) +
                                " (got " + std::to_string(w.rows()) + " x " +
                                std::to_string(w.cols()) + ")");
  return are_weights(w) && x.allFinite();
}

double average(const ArrayXXd& f, const Draws& w) { return (w.array() * f).sum() / w.sum(); }

/// sum w (x - m)^2 / W.
double second_moment(const Draws& x, const Draws& w, double m) {
  return average((x.array() - m).square(), w);
}

struct Weighed {
  double value;
  double weight;
};

/// Draws in ascending order, without draws of weight 0.
std::vector<Weighed> weighed_in_order(const Draws& x, const Draws& w) {
  std::vector<Weighed> draws;
  for (Eigen::Index c = 0; c < x.cols(); ++c)
    for (Eigen::Index t = 0; t < x.rows(); ++t)
      if (w(t, c) > 0.0) draws.push_back({x(t, c), w(t, c)});
  std::sort(draws.begin(), draws.end(), [](const Weighed& a, const Weighed& b) {
    return std::pair(a.value, a.weight) < std::pair(b.value, b.weight);
  });
  return draws;
}

/// The weighted quantile at p = place / (W - w_1 / 2 - w_n / 2). The first draw is at place 0. The
/// distance between the places of neighbouring draws is half the sum of their weights.
double at_place(const std::vector<Weighed>& draws, double place) {
  for (std::size_t k = 1; k < draws.size(); ++k) {
    const double gap = 0.5 * (draws[k - 1].weight + draws[k].weight);
    const double low = draws[k - 1].value;
    const double high = draws[k].value;
    if (place < gap) return low == high ? low : low + (place / gap) * (high - low);
    place -= gap;
  }
  return draws.back().value;
}

double quantile_of(const std::vector<Weighed>& draws, double p) {
  if (draws.empty()) return not_available;
  double length = 0.0;
  for (std::size_t k = 1; k < draws.size(); ++k)
    length += 0.5 * (draws[k - 1].weight + draws[k].weight);
  return p == 1.0 ? draws.back().value : at_place(draws, p * length);
}

// In the following functions, x and w are in the units of InUnits.

/// The weighted mean. Averages twice: first about the first draw, then about the result of the
/// first average. So constants stay exact, and a large offset costs no digits.
double mean_in_units(const Draws& x, const Draws& w) {
  const double first = x(0, 0);
  const double rough = first + average(x.array() - first, w);
  return rough + average(x.array() - rough, w);
}

double sd_in_units(const Draws& x, const Draws& w) {
  if (x.size() < 2) return not_available;
  const double lost = w.squaredNorm() / (w.sum() * w.sum());
  return std::sqrt(second_moment(x, w, mean_in_units(x, w)) / (1.0 - lost));
}

double mcse_mean_in_units(const Draws& x, const Draws& w, Eigen::Index together) {
  const MatrixXd z = w.array() * (x.array() - mean_in_units(x, w));
  return mcse_mean(z, together) / w.mean();
}

double mcse_sd_in_units(const Draws& x, const Draws& w, Eigen::Index together) {
  const double m = mean_in_units(x, w);
  const double second = second_moment(x, w, m);
  const MatrixXd z = w.array() * ((x.array() - m).square() - second);
  return std::sqrt(z.array().square().mean() / ess_mean(z, together) / second / 4) / w.mean();
}

/// Computes figure(x, w, ...) in safe units and converts it to the units of x.
template <class Figure, class... More>
double in_units(const Draws& x, const Draws& w, const Figure& figure, More... more) {
  if (!available(x, w)) return not_available;
  const InUnits draws(x);
  return draws.back(figure(draws.draws(), InUnits(w).draws(), more...));
}

}  // namespace

double weighted_mean(const Draws& x, const Draws& w) { return in_units(x, w, mean_in_units); }

double weighted_sd(const Draws& x, const Draws& w) { return in_units(x, w, sd_in_units); }

double weighted_mcse_mean(const Draws& x, const Draws& w, Eigen::Index together) {
  return in_units(x, w, mcse_mean_in_units, together);
}

double weighted_mcse_sd(const Draws& x, const Draws& w, Eigen::Index together) {
  return in_units(x, w, mcse_sd_in_units, together);
}

double weighted_quantile(const Draws& x, const Draws& w, double p) {
  if (!(p >= 0 && p <= 1))
    throw std::invalid_argument("weighted_quantile: the probability must be between 0 and 1 (got " +
                                std::to_string(p) + ")");
  return available(x, w) ? quantile_of(weighed_in_order(x, w), p) : not_available;
}

StandardFigures summarise(const Draws& x, const Draws& w, Eigen::Index together) {
  return summarise(x, w, together, NormalScores(Halves(x.rows(), x.cols()).size()));
}

StandardFigures summarise(const Draws& x, const Draws& w, Eigen::Index together,
                          const NormalScores& scores) {
  StandardFigures s = summarise(x, together, scores);
  s.mean = weighted_mean(x, w);
  s.sd = weighted_sd(x, w);
  s.mcse_mean = weighted_mcse_mean(x, w, together);
  s.mcse_sd = weighted_mcse_sd(x, w, together);
  const auto draws = available(x, w) ? weighed_in_order(x, w) : std::vector<Weighed>();
  s.q5 = quantile_of(draws, 0.05);
  s.q50 = quantile_of(draws, 0.5);
  s.q95 = quantile_of(draws, 0.95);
  return s;
}

}  // namespace mixwell::diagnostics
