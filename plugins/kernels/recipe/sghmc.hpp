// The recipe of stochastic-gradient Hamiltonian Monte Carlo.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>
#include <mixwell/recipe.hpp>

#include <cmath>

namespace mixwell::recipes {

/// r = p ~ N(0, I); D = diag(0, A I), Q = (0, -I; I, 0): dtheta = p dt, dp = -(grad U + A p) dt +
/// N(0, 2 A dt). O(d).
class Sghmc final : public Recipe {
 public:
  explicit Sghmc(double friction) : friction_(friction) {}

  Auxiliaries auxiliaries(Index d) const override {
    return {Eigen::VectorXd::Zero(d), Eigen::VectorXd::Ones(d)};
  }
  void D(ConstBatch, ConstBatch v, Batch out, Workspace&) const override {
    const Index d = v.rows() / 2;
    out.topRows(d).setZero();
    out.bottomRows(d) = friction_ * v.bottomRows(d);
  }
  void Q(ConstBatch, ConstBatch v, Batch out, Workspace&) const override {
    const Index d = v.rows() / 2;
    out.topRows(d) = -v.bottomRows(d);
    out.bottomRows(d) = v.topRows(d);
  }
  void root(ConstBatch, ConstBatch x, Batch out, Workspace&) const override {
    const Index d = x.rows() / 2;
    out.topRows(d).setZero();
    out.bottomRows(d) = std::sqrt(friction_) * x.bottomRows(d);
  }
  bool has_friction() const noexcept override { return true; }

 private:
  double friction_;  ///< A
};

}  // namespace mixwell::recipes
