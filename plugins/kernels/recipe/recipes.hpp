// The recipes of SGHMC, SGNHT and SGRLD.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>
#include <mixwell/recipe.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

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

/// r = (p, xi), p ~ N(0, I), xi ~ N(A, 1/d); D = diag(0, A I, 0) and
///   Q = (0, -I, 0; I, 0, p/d; 0, -p'/d, 0),  Gamma = (0, 0, -1):
/// dtheta = p dt, dp = -(grad U + xi p) dt + N(0, 2 A dt), dxi = (p'p / d - 1) dt. If the noise of
/// the gradient adds N(0, 2 B I dt) to p, this only moves the mean of xi to A + B. The numbers of a
/// column are p. O(d).
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
    return {.continuous = true, .bound = Bound::local};
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
  Traits gamma_traits() const override { return {.total = true}; }
  void gamma(const Potential&, ConstBatch, ConstBatch p, Batch out, Workspace&) const override {
    out.setZero();
    out.row(2 * p.rows()).setConstant(-1.0);
  }
  bool has_friction() const noexcept override { return true; }

 private:
  double friction_;  ///< A
};

/// D = H(theta) of an estimator that follows theta without a history, Q = 0, and Gamma = div H.
/// There are no auxiliaries. The cost is the cost of the estimator.
class Sgrld final : public Recipe {
 public:
  explicit Sgrld(std::shared_ptr<const OwnPreconditioner> of) : of_(std::move(of)) {}

  std::string refusal(const Potential& target) const override { return of_->refusal(target); }
  Index rows(Index dimension) const override { return of_->rows(dimension); }
  Traits coefficients_traits() const override { return of_->traits(); }
  void coefficients(const Potential& target, ConstBatch theta, Batch numbers,
                    Workspace& scratch) const override {
    of_->fit(target, theta, theta, numbers, scratch);
  }
  void D(ConstBatch numbers, ConstBatch v, Batch out, Workspace& scratch) const override {
    of_->representation()->H(numbers, v, out, scratch);
  }
  void root(ConstBatch numbers, ConstBatch x, Batch out, Workspace& scratch) const override {
    of_->representation()->S(numbers, x, out, scratch);
  }

  const Component& rests_on() const noexcept override { return *of_; }
  bool has_gamma() const noexcept override { return of_->has_drift_correction(); }
  Traits gamma_traits() const override { return of_->drift_correction_traits(); }
  void gamma(const Potential& target, ConstBatch theta, ConstBatch numbers, Batch out,
             Workspace& scratch) const override {
    of_->drift_correction(target, theta, theta, numbers, out, scratch);
  }

 private:
  std::shared_ptr<const OwnPreconditioner> of_;
};

}  // namespace mixwell::recipes
