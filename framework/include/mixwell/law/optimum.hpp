// Modes of a law, and the Hessian at a mode.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>
#include <mixwell/base/workspace.hpp>
#include <mixwell/law/function.hpp>

#include <cstdint>

namespace mixwell {

/// The law of one column of a block, for functions that evaluate it at many points.
class MIXWELL_EXPORT ColumnLaw {
 public:
  /// Column k of `law`, which is a law of a block.
  ColumnLaw(const Law& law, Index k, Workspace& scratch) : law_(law), k_(k), scratch_(scratch) {}

  /// Computes U and grad U at every column of theta (d x n).
  void evaluate(ConstBatch theta, double* u, Batch gradient) const;
  /// True if the model of the law offers products with its Hessian.
  bool multiplies_hessians() const { return law_.hessian_products() != nullptr; }
  /// Multiplies the Hessian at column k of theta by column k of v, for every k (d x n each).
  void multiply_hessian(ConstBatch theta, ConstBatch v, Batch out) const;
  /// Number of gradients evaluated so far.
  std::int64_t gradients() const noexcept { return gradients_; }
  Workspace& scratch() const noexcept { return scratch_; }

 private:
  Law law_;
  Index k_;
  Workspace& scratch_;
  mutable std::int64_t gradients_ = 0;
};

/// A point that find_mode has found.
struct Optimum {
  Eigen::VectorXd theta;
  Eigen::VectorXd gradient;
  double u = 0.0;
  /// True if |grad U| <= tolerance.
  bool converged = false;
};

/// Finds the local minimum of U that L-BFGS reaches from `start`. Uses liblbfgs with 10 correction
/// pairs and its backtracking line search for the strong Wolfe conditions. Then improves the result
/// by up to `polish` Newton steps, which all use the same Hessian. If U is not finite at `start` or
/// has no minimum, returns the best point found, with converged = false. Allocates memory. Each
/// iteration costs O(d) in addition to the gradient. The Newton steps cost O(d^3) and 2 d gradients
/// in total.
MIXWELL_EXPORT Optimum find_mode(const ColumnLaw& law, const Eigen::VectorXd& start,
                                 double tolerance, std::int64_t max_iterations,
                                 std::int64_t polish = 0);

/// Computes the Hessian (d x d, symmetric) for the cost of 2 d gradients. It uses the model's own
/// products (HessianProducts) if available, otherwise central differences of the gradient with
/// steps h_i = 6e-6 max(1, |theta_i|). The error of the differences is O(h^2) times fourth
/// derivatives, plus a rounding error of about 1e-11 times the size of the gradient's terms.
MIXWELL_EXPORT Eigen::MatrixXd hessian(const ColumnLaw& law, const Eigen::VectorXd& theta);

}  // namespace mixwell
