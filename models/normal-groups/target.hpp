// The potential of means of groups, by its sums over groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

namespace mixwell::normal_groups {

/// Coordinates: mu, log tau, then theta.
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
  /// Of only the prior of mu.
  double by_mu(const Hyper& at) const { return prior_precision * (at.mu - prior_mean); }
};

}  // namespace mixwell::normal_groups
