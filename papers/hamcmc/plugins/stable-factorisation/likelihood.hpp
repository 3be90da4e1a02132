// The likelihood of complex Gaussian entries given the scales and the factors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "entries.hpp"
#include "layout.hpp"
#include "stable_scale.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace mixwell::stable_factorisation {

/// The real and imaginary parts of entry n, at (i, j), are N(0, v_n) each. v_n = sum over sources
/// of Phi_sn lambda_sn^(2/alpha_s), and lambda_sn = sum over its factors k of |w_ik| |h_jk|. Each
/// function takes one position (Layout::dimension() numbers).
class Likelihood {
 public:
  Likelihood(Layout layout, Entries entries)
      : layout_(std::move(layout)), entries_(std::move(entries)) {
    for (const Source& one : layout_.sources) scales_.emplace_back(one.alpha);
  }

  const Layout& layout() const noexcept { return layout_; }
  const Entries& entries() const noexcept { return entries_; }
  const StableScale& scale(Index source) const { return scales_[static_cast<std::size_t>(source)]; }
  Index sources() const noexcept { return std::ssize(scales_); }

  /// (2 / alpha) log lambda_sn. Costs 2 K operations and one logarithm.
  double log_product(const double* theta, Index s, Index n) const {
    return 2.0 / source(s).alpha *
           std::log(row(theta, s, n).abs().cwiseProduct(column(theta, s, n).abs()).sum());
  }
  /// log of the variance that source s contributes to entry n.
  double log_variance(const double* theta, Index s, Index n) const {
    return log_scale(theta, s, n) + log_product(theta, s, n);
  }
  double variance(const double* theta, Index n) const {
    double v = 0.0;
    for (Index s = 0; s < sources(); ++s) v += std::exp(log_variance(theta, s, n));
    return v;
  }

  /// log(2 pi v) + |x|^2 / (2 v).
  double misfit(double v, Index n) const {
    return std::log(2.0 * std::numbers::pi * v) + entries_.squared(n) / (2.0 * v);
  }
  /// The derivative of misfit() with respect to v.
  double slope(double v, Index n) const { return (1.0 - entries_.squared(n) / (2.0 * v)) / v; }

  double term(const double* theta, Index n) const { return misfit(variance(theta, n), n); }

  /// Like term(), but also adds the gradient to g. Costs 8 K operations and a few exponentials.
  double add_term(const double* theta, Index n, double* g) const {
    const double v = variance(theta, n);
    for (Index s = 0; s < sources(); ++s)
      add_source(theta, s, n, slope(v, n) * std::exp(log_variance(theta, s, n)), g);
    return misfit(v, n);
  }

 private:
  using Factors = Eigen::Map<Eigen::ArrayXd>;
  using ConstFactors = Eigen::Map<const Eigen::ArrayXd>;

  const Source& source(Index s) const { return layout_.sources[static_cast<std::size_t>(s)]; }
  Index row_place(Index s, Index n) const {
    return layout_.row_factors(entries_.rows[static_cast<std::size_t>(n)]) + source(s).first;
  }
  Index column_place(Index s, Index n) const {
    return layout_.column_factors(entries_.columns[static_cast<std::size_t>(n)]) + source(s).first;
  }
  ConstFactors row(const double* theta, Index s, Index n) const {
    return {theta + row_place(s, n), source(s).rank};
  }
  ConstFactors column(const double* theta, Index s, Index n) const {
    return {theta + column_place(s, n), source(s).rank};
  }
  double log_scale(const double* theta, Index s, Index n) const {
    return scale(s).log_scale(theta[layout_.angle(s, n)], theta[layout_.energy(s, n)]);
  }

  /// Adds the gradient of one source. `pull` is the derivative of U with respect to the logarithm
  /// of the source's variance.
  void add_source(const double* theta, Index s, Index n, double pull, double* g) const {
    const ConstFactors w = row(theta, s, n);
    const ConstFactors h = column(theta, s, n);
    const double lambda = w.abs().cwiseProduct(h.abs()).sum();
    const double by_lambda = pull * 2.0 / source(s).alpha / lambda;
    Factors(g + row_place(s, n), source(s).rank) += by_lambda * h.abs() * w.sign();
    Factors(g + column_place(s, n), source(s).rank) += by_lambda * w.abs() * h.sign();
    g[layout_.angle(s, n)] += pull * scale(s).slope(theta[layout_.angle(s, n)]);
    g[layout_.energy(s, n)] += pull * scale(s).slope_of_energy();
  }

  Layout layout_;
  Entries entries_;
  std::vector<StableScale> scales_;
};

}  // namespace mixwell::stable_factorisation
