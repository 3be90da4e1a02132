// The generalised leapfrog for one column: implicit steps for a non-separable Hamiltonian.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metric_law.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstdint>

namespace mixwell::riemannian {

struct Tolerances {
  double fixed_point = 1e-9;
  double reversibility = 1e-6;
  /// Largest number of iterations of an implicit step. A step that needs more iterations has
  /// failed, because its iteration does not contract.
  static constexpr int most_iterations = 100;

  /// Whether the computed map is reversible and preserves volume, each except for a negligible
  /// error. These errors are relative to the start, and of the order of the tolerances.
  bool solve_well() const noexcept { return fixed_point <= 1e-6 && reversibility <= 1e-4; }
};

/// Largest |a - b|, relative to the largest number of a and `scale`. All must be finite.
inline double relative_change(ConstVectorRef a, ConstVectorRef b, ConstVectorRef scale) {
  const double change = (a - b).lpNorm<Eigen::Infinity>();
  if (change == 0.0) return 0.0;
  return change / std::max(a.lpNorm<Eigen::Infinity>(), scale.lpNorm<Eigen::Infinity>());
}

/// A point of phase space of one column with U and its gradient; all of length d.
struct Point {
  Vector theta;
  Vector p;
  Vector g;
  double u;
};

/// Steps of H(theta, p) = U(theta) + 1/2 p' G^-1 p + 1/2 log det G(theta), for one column:
///   p+     = p - eps/2 dH/dtheta(theta, p+)                                   implicit
///   theta* = theta + eps/2 (G^-1(theta) + G^-1(theta*)) p+                    implicit
///   p*     = p+ - eps/2 dH/dtheta(theta*, p+)
/// Reversible and volume-preserving if the implicit equations are solved (Leimkuhler & Reich 2004;
/// Girolami & Calderhead 2011, equations 16 to 18). Fixed-point iteration solves them, until the
/// relative change is within tolerance. A step costs a gradient of U; a contraction and d^2
/// multiplications for each iteration of the momentum; a metric and d^3 / 3 multiplications for
/// each iteration of the position; and one more contraction and one more metric, with d^3
/// multiplications.
class Leapfrog {
 public:
  Leapfrog(const Law& law, const Metric& metric, const Tolerances& tolerances, Index dimension,
           Workspace& scratch)
      : law_(law),
        metric_(metric),
        tolerances_(tolerances),
        scratch_(scratch),
        factor_(scratch.matrix(dimension, dimension)),
        inverse_(scratch.matrix(dimension, dimension)),
        weights_(scratch.matrix(dimension, dimension)),
        trial_(scratch.matrix(dimension, dimension)),
        velocity_(vector(dimension)),
        start_(vector(dimension)),
        next_(vector(dimension)),
        force_(vector(dimension)) {}

  /// False if an iteration did not converge, a metric was not positive definite, or the end is not
  /// finite. The point is then undefined.
  bool run(Point& at, double eps, std::int64_t steps) {
    if (!enter(at.theta)) return false;
    for (std::int64_t k = 0; k < steps; ++k) {
      if (!implicit_kick(at, eps) || !implicit_drift(at, eps)) return false;
      evaluate(at);
      energy_gradient(at, at.p);
      at.p -= 0.5 * eps * force_;
      if (!at.p.allFinite()) return false;
    }
    return true;
  }

 private:
  Vector vector(Index d) { return {scratch_.row(d).data(), d}; }

  /// Writes the Cholesky factor of G(theta) into `L`.
  bool factor_at(const Vector& theta, MatrixMap L) {
    const Workspace::Frame frame(scratch_);
    MatrixMap G(L.data(), L.size(), 1);
    metric_.metric(ConstMatrixMap(theta.data(), theta.size(), 1), G, scratch_);
    return factorise(L);
  }

  static void solve(const MatrixMap& L, Vector v) {
    L.triangularView<Eigen::Lower>().solveInPlace(v);
    L.triangularView<Eigen::Lower>().transpose().solveInPlace(v);
  }

  /// Computes the Cholesky factor and G^-1 at theta.
  bool enter(const Vector& theta) {
    if (!factor_at(theta, factor_)) return false;
    inverse_.setIdentity();
    factor_.triangularView<Eigen::Lower>().solveInPlace(inverse_);
    factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(inverse_);
    return true;
  }

  void evaluate(Point& at) {
    const Workspace::Frame frame(scratch_);
    const Index d = at.theta.size();
    law_.evaluate(ConstMatrixMap(at.theta.data(), d, 1),
                  {&at.u, MatrixMap(at.g.data(), d, 1), scratch_});
  }

  /// force_ = dH/dtheta(theta, p) = grad U + sum_ab W_ab dG_ab, W = 1/2 (G^-1 - v v'), v = G^-1 p.
  /// factor_ and inverse_ must belong to theta.
  void energy_gradient(const Point& at, const Vector& p) {
    const Workspace::Frame frame(scratch_);
    const Index d = p.size();
    velocity_ = p;
    solve(factor_, velocity_);
    weights_.noalias() = velocity_ * velocity_.transpose();
    weights_ = 0.5 * (inverse_ - weights_);
    metric_.contract_derivative(ConstMatrixMap(at.theta.data(), d, 1),
                                ConstMatrixMap(weights_.data(), d * d, 1),
                                MatrixMap(force_.data(), d, 1), scratch_);
    force_ += at.g;
  }

  /// p <- p+.
  bool implicit_kick(Point& at, double eps) {
    start_ = at.p;
    for (int k = 0; k < Tolerances::most_iterations; ++k) {
      energy_gradient(at, at.p);
      next_ = start_ - 0.5 * eps * force_;
      if (!next_.allFinite()) return false;
      const double change = relative_change(next_, at.p, start_);
      at.p = next_;
      if (change <= tolerances_.fixed_point) return true;
    }
    return false;
  }

  /// theta <- theta*. Computes factor_ and inverse_ at theta*.
  bool implicit_drift(Point& at, double eps) {
    velocity_ = at.p;
    solve(factor_, velocity_);
    start_ = at.theta + 0.5 * eps * velocity_;
    at.theta += eps * velocity_;  // the first guess uses only the velocity at theta
    for (int k = 0; k < Tolerances::most_iterations; ++k) {
      if (!factor_at(at.theta, trial_)) return false;
      velocity_ = at.p;
      solve(trial_, velocity_);
      next_ = start_ + 0.5 * eps * velocity_;
      if (!next_.allFinite()) return false;
      const double change = relative_change(next_, at.theta, start_);
      at.theta = next_;
      if (change <= tolerances_.fixed_point) return enter(at.theta);
    }
    return false;
  }

  const Law& law_;
  const Metric& metric_;
  const Tolerances& tolerances_;
  Workspace& scratch_;
  MatrixMap factor_;
  MatrixMap inverse_;
  MatrixMap weights_;
  MatrixMap trial_;
  Vector velocity_;
  Vector start_;
  Vector next_;
  Vector force_;
};

}  // namespace mixwell::riemannian
