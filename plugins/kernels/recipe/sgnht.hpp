// The recipe of the stochastic-gradient thermostat of Nose and Hoover.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>
#include <mixwell/recipe.hpp>

#include <cmath>

namespace mixwell::recipes {

/// r = (p, xi), p ~ N(0, I), xi ~ N(A, 1/d); D = diag(0, A I, 0) and
///   Q = (0, -I, 0; I, 0, p/d; 0, -p'/d, 0),  Gamma = (0, 0, -1):
/// dtheta = p dt, dp = -(grad U + xi p) dt + N(0, 2 A dt), dxi = (p'p / d - 1) dt. A gradient whose
/// noise adds N(0, 2 B I dt) to p moves the mean of xi to A + B and nothing else. The numbers are
/// p. O(d).
class Sgnht final : public Recipe {
 public:
  explicit Sgnht(double friction) : friction_(friction) {}

  Auxiliaries auxiliaries(Index d) const override {
    Auxiliaries of{Eigen::VectorXd::Zero(d + 1), Eigen::VectorXd::Ones(d + 1)};
    of.mean(d) = friction_;
    of.sd(d) = 1.0 / std::sqrt(static_cast<double>(d));
    return of;
  }

  Index rows(Index dimension) const override { return dimension; }
  /// Q is linear in p.
  Traits coefficients_traits() const override {
    Traits traits;
    traits.continuous = true;
    traits.bound = Bound::local;
    return traits;
  }
  void coefficients(const Potential&, ConstBatch z, Batch numbers, Workspace&) const override {
    numbers = z.middleRows(numbers.rows(), numbers.rows());
  }

  void D(ConstBatch p, ConstBatch v, Batch out, Workspace&) const override {
    out.setZero();
    out.middleRows(p.rows(), p.rows()) = friction_ * v.middleRows(p.rows(), p.rows());
  }
  void Q(ConstBatch p, ConstBatch v, Batch out, Workspace&) const override {
    const Index d = p.rows();
    const double share = 1.0 / static_cast<double>(d);
    out.topRows(d) = -v.middleRows(d, d);
    for (Index j = 0; j < v.cols(); ++j) {
      out.col(j).segment(d, d) = v.col(j).head(d) + share * v(2 * d, j) * p.col(j);
      out(2 * d, j) = -share * p.col(j).dot(v.col(j).segment(d, d));
    }
  }
  void root(ConstBatch p, ConstBatch x, Batch out, Workspace&) const override {
    out.setZero();
    out.middleRows(p.rows(), p.rows()) = std::sqrt(friction_) * x.middleRows(p.rows(), p.rows());
  }

  bool has_gamma() const noexcept override { return true; }
  Traits gamma_traits() const override {
    Traits traits;
    traits.total = true;
    return traits;
  }
  void gamma(const Potential&, ConstBatch, ConstBatch p, Batch out, Workspace&) const override {
    out.setZero();
    out.row(2 * p.rows()).setConstant(-1.0);
  }
  bool has_friction() const noexcept override { return true; }

 private:
  double friction_;  ///< A
};

}  // namespace mixwell::recipes
