// What moves with history: numbers in a register of the graph, and a pure update.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/graph.hpp>
#include <mixwell/types.hpp>

namespace mixwell {

/// A rule for the numbers of a history variable. Stateless: the state is the register.
class MIXWELL_EXPORT Learner {
 public:
  virtual ~Learner();
  virtual Forgets forgets() const noexcept = 0;
  /// Where it diminishes: what is read of it changes by about n^-rate in the n-th update; 0 = not
  /// declared.
  virtual double rate() const noexcept { return 0.0; }
  /// The numbers before anything was seen, rows x 1.
  virtual Eigen::VectorXd initial() const = 0;
  /// state (rows x w) is replaced by its update with inputs (k x w).
  virtual void update(Batch state, ConstBatch inputs) const = 0;
};

/// Nesterov's dual averaging of log eps towards a target acceptance probability, after Hoffman &
/// Gelman 2014, section 3.2: diminishing adaptation with gamma = 0.05, t0 = 10, kappa = 0.75 and
/// shrinkage towards mu = log(10 eps0).
class MIXWELL_EXPORT DualAveraging final : public Learner {
 public:
  /// Rows of the register.
  enum RowName : Index { log_eps = 0, log_eps_bar = 1, h_bar = 2, count = 3, mu = 4, rows = 5 };

  DualAveraging(double initial_eps, double target);
  Forgets forgets() const noexcept override { return Forgets::diminishing; }
  /// Of the averaged iterate, log_eps_bar.
  double rate() const noexcept override { return 0.75; }
  Eigen::VectorXd initial() const override;
  /// inputs: 1 x w acceptance probabilities in [0, 1]; NaN counts as 0.
  void update(Batch state, ConstBatch inputs) const override;
  /// Column j as if nothing had been seen, from the given log eps.
  static void restart(Batch state, Index j, double log_eps0) noexcept;

 private:
  double log_eps0_;
  double target_;
};

}  // namespace mixwell
