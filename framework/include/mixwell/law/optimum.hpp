// Modes of a law, and its curvature there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/law/function.hpp>

#include <cstdint>

namespace mixwell {

/// A law of a single column, for functions that look at it from many points.
class MIXWELL_EXPORT ColumnLaw {
 public:
  /// Column k of `law`, a law of a block.
  ColumnLaw(const Law& law, Index k, Workspace& scratch) : law_(law), k_(k), scratch_(scratch) {}

  /// U and grad U at every column of theta (d x n).
  void evaluate(ConstBatch theta, double* u, Batch gradient) const;
  /// Whether the model of the law offers products with its Hessian.
  bool multiplies_hessians() const { return law_.hessian_products() != nullptr; }
  /// Of the Hessian at each column of theta with that of v (d x n).
  void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out) const;
  /// Gradients evaluated so far.
  std::int64_t gradients() const noexcept { return gradients_; }
  Workspace& scratch() const noexcept { return scratch_; }

 private:
  Law law_;
  Index k_;
  Workspace& scratch_;
  mutable std::int64_t gradients_ = 0;
};

struct Optimum {
  Eigen::VectorXd theta;
  Eigen::VectorXd gradient;
  double u = 0.0;
  /// |grad U| <= tolerance.
  bool converged = false;
};

/// The local minimum of U that L-BFGS (liblbfgs: 10 pairs, backtracking to the strong Wolfe
/// conditions) reaches from `start`, polished by up to `polish` Newton steps with one Hessian.
/// Where U is not finite or has no minimum, the best point that was seen, not converged. Allocates;
/// O(d) an iteration beyond the gradient, and for a polished one O(d^3) and 2 d gradients in all.
MIXWELL_EXPORT Optimum find_mode(const ColumnLaw& law, const Eigen::VectorXd& start,
                                 double tolerance, std::int64_t max_iterations,
                                 std::int64_t polish = 0);

/// d x d, symmetric, for 2 d gradients: the model's own products (HessianProducts) where it offers
/// them, else central differences of the gradient with steps h_i = 6e-6 max(1, |theta_i|), with an
/// error of O(h^2) of the fourth derivatives and about 1e-11 of the size of the gradient's terms
/// from rounding.
MIXWELL_EXPORT Eigen::MatrixXd hessian(const ColumnLaw& law, const Eigen::VectorXd& theta);

}  // namespace mixwell
