// The potential of `normal-groups` as a function of all parameters, or of some given the rest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mixwell::normal_groups {

/// Rows of the position: mu, log tau, then theta.
enum Coordinate : Index { mu_row, tau_row, theta_row };

/// U = sum (y - theta)^2 / (2 sigma^2) + (b + S / 2) / tau^2 + (J + 2 a) log tau
///     + (mu - m)^2 / (2 s^2), S = sum (theta - mu)^2.
struct Target {
  struct Hyper {
    double mu = 0.0;
    double log_tau = 0.0;
    double within = 1.0;  ///< 1 / tau^2
  };

  Eigen::VectorXd y;
  Eigen::VectorXd precision;  ///< 1 / sigma_j^2
  double prior_mean = 0.0;
  double prior_precision = 1.0;  ///< 1 / s^2
  double tau_shape = 1.0;
  double tau_scale = 1.0;

  Index groups() const noexcept { return y.size(); }
  double counts() const noexcept { return static_cast<double>(groups()) + 2.0 * tau_shape; }

  /// (y_k - theta_k)^2 / (2 sigma_k^2), and its derivative.
  double misfit(Index k, double theta) const {
    const double off = theta - y(k);
    return 0.5 * precision(k) * off * off;
  }
  double misfit_by_theta(Index k, double theta) const { return precision(k) * (theta - y(k)); }

  /// U from the misfits of all groups and S.
  double potential(double misfits, double spread, const Hyper& at) const {
    const double from_prior = at.mu - prior_mean;
    return misfits + at.within * (tau_scale + 0.5 * spread) + counts() * at.log_tau +
           0.5 * prior_precision * from_prior * from_prior;
  }
  double by_log_tau(double spread, const Hyper& at) const {
    return counts() - 2.0 * at.within * (tau_scale + 0.5 * spread);
  }
  /// The derivative of only the prior of mu.
  double by_mu(const Hyper& at) const { return prior_precision * (at.mu - prior_mean); }
};

/// U as a function of any of mu, log tau and some theta_k. Three sums represent the groups that are
/// not in the block: with n of them, m their mean and s = sum (theta_k - m)^2,
///   sum (theta_k - mu)^2 = s + n (mu - m)^2.
class GroupsGivenRest final : public ConditionalPotential {
 public:
  /// `target` must outlive this object; `coordinates` ascend.
  GroupsGivenRest(const Target& target, const std::vector<Index>& coordinates) : target_(target) {
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

  /// O(J) for each column.
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

  /// O(b) for each column, for a block of b numbers.
  void evaluate(const ConditionalCaches& caches, ConstBatch x,
                const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index j = 0; j < x.cols(); ++j) {
      const At at = at_column(caches.column(j), x.col(j).data());
      if (out.wants_potential()) out.u()(j) = target_.potential(at.misfit, at.spread, at);
      if (out.wants_gradient()) write_gradient(at, x.col(j).data(), gradient.col(j).data());
    }
  }

 private:
  /// Rows of a cache. `at_within` is 1 / tau^2.
  enum Row : Index { at_mu, at_log_tau, at_within, at_misfit, at_mean, at_spread, rows };

  /// A theta_k of the block.
  struct Moved {
    Index row;  ///< row of x
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
  Index mu_ = -1;   ///< row of mu in x, if mu is in the block
  Index tau_ = -1;  ///< row of log tau in x, if log tau is in the block
  std::vector<Moved> moved_;
  std::vector<Index> staying_;  ///< groups
};

}  // namespace mixwell::normal_groups
