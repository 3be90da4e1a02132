// Some parameters of means of groups given the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mixwell::normal_groups {

/// U as a function of any of mu, log tau and some theta_k. Of the groups that stay three sums are
/// enough: with n of them, m their mean and s = sum (theta_k - m)^2,
///   sum (theta_k - mu)^2 = s + n (mu - m)^2.
class Block final : public BlockPotential {
 public:
  /// `target` outlives it; `coordinates` ascend.
  Block(const Target& target, const std::vector<Index>& coordinates) : target_(target) {
    std::vector<bool> own(static_cast<std::size_t>(target.groups()), false);
    for (std::size_t row = 0; row < coordinates.size(); ++row) {
      const auto at = static_cast<Index>(row);
      if (coordinates[row] == mu_row) mu_ = at;
      if (coordinates[row] == tau_row) tau_ = at;
      if (coordinates[row] < theta_row) continue;
      moved_.push_back({at, coordinates[row] - theta_row});
      own[static_cast<std::size_t>(moved_.back().group)] = true;
    }
    for (Index k = 0; k < target.groups(); ++k) {
      if (!own[static_cast<std::size_t>(k)]) staying_.push_back(k);
    }
  }

  Index cache_rows() const noexcept override { return rows; }

  /// O(J) a column.
  void prepare(ConstBatch theta, Batch caches, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const double* const x = theta.col(j).data();
      double* const to = caches.col(j).data();
      to[at_mu] = mu_ < 0 ? x[mu_row] : 0.0;
      to[at_log_tau] = tau_ < 0 ? x[tau_row] : 0.0;
      to[at_within] = tau_ < 0 ? std::exp(-2.0 * x[tau_row]) : 0.0;
      sum_staying(x, to);
    }
  }

  /// O(b) a column, b numbers of the block.
  void evaluate(const BlockCaches& caches, ConstBatch x, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index j = 0; j < x.cols(); ++j) {
      const At at = at_column(caches.column(j), x.col(j).data());
      if (out.wants_potential()) out.u()(j) = target_.potential(at.misfit, at.spread, at);
      if (out.wants_gradient()) write_gradient(at, x.col(j).data(), gradient.col(j).data());
    }
  }

 private:
  /// Of a cache. `at_within` is 1 / tau^2.
  enum Row : Index { at_mu, at_log_tau, at_within, at_misfit, at_mean, at_spread, rows };

  /// A theta_k of the block.
  struct Moved {
    Index row;  ///< of x
    Index group;
  };

  struct At : Target::Hyper {
    double misfit = 0.0;  ///< sum (y - theta)^2 / (2 sigma^2)
    double spread = 0.0;  ///< sum (theta - mu)^2
    double pull = 0.0;    ///< sum (theta - mu)
  };

  void sum_staying(const double* x, double* to) const {
    const auto n = static_cast<double>(std::max<std::size_t>(1, staying_.size()));
    double sum = 0.0;
    for (const Index k : staying_) sum += x[theta_row + k];
    to[at_mean] = sum / n;
    to[at_misfit] = 0.0;
    to[at_spread] = 0.0;
    for (const Index k : staying_) {
      const double off = x[theta_row + k] - to[at_mean];
      to[at_spread] += off * off;
      to[at_misfit] += target_.misfit(k, x[theta_row + k]);
    }
  }

  At at_column(const double* cache, const double* x) const {
    At at;
    at.mu = mu_ < 0 ? cache[at_mu] : x[mu_];
    at.log_tau = tau_ < 0 ? cache[at_log_tau] : x[tau_];
    at.within = tau_ < 0 ? cache[at_within] : std::exp(-2.0 * at.log_tau);
    const auto n = static_cast<double>(staying_.size());
    const double from_mean = cache[at_mean] - at.mu;
    at.misfit = cache[at_misfit];
    at.spread = cache[at_spread] + n * from_mean * from_mean;
    at.pull = n * from_mean;
    for (const auto& [row, group] : moved_) {
      const double off = x[row] - at.mu;
      at.misfit += target_.misfit(group, x[row]);
      at.spread += off * off;
      at.pull += off;
    }
    return at;
  }

  void write_gradient(const At& at, const double* x, double* g) const {
    if (mu_ >= 0) g[mu_] = target_.by_mu(at) - at.within * at.pull;
    if (tau_ >= 0) g[tau_] = target_.by_log_tau(at.spread, at);
    for (const auto& [row, group] : moved_) {
      g[row] = target_.misfit_by_theta(group, x[row]) + at.within * (x[row] - at.mu);
    }
  }

  const Target& target_;
  Index mu_ = -1;   ///< row of x, if mu is in the block
  Index tau_ = -1;  ///< of log tau
  std::vector<Moved> moved_;
  std::vector<Index> staying_;  ///< groups
};

}  // namespace mixwell::normal_groups
