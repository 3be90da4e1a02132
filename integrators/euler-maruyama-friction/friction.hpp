// The friction F of a scheme: a number, a diagonal or a matrix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Eigenvalues>

#include <cmath>
#include <string>
#include <vector>

namespace mixwell::friction {

/// F, symmetric and positive definite, or alpha = eps F of only a number.
class Friction {
 public:
  Friction(double value, bool per_step) : number_(value), per_step_(per_step), least_(value) {}

  /// d entries of a diagonal, or d^2 of a matrix row by row; one entry is a diagonal. Which it is
  /// says the dimension: `refusal`.
  explicit Friction(const std::vector<double>& entries)
      : entries_(Eigen::VectorXd::Map(entries.data(), static_cast<Index>(entries.size()))) {
    least_ = entries_.minCoeff();
    const Index d = side();
    if (!is_matrix(d)) return;
    const ConstMatrixMap F(entries_.data(), d, d);
    if (!F.isApprox(F.transpose(), 1e-12)) return;
    least_of_matrix_ =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(F, Eigen::EigenvaluesOnly).eigenvalues()(0);
  }

  bool per_step() const noexcept { return per_step_; }
  bool is_number() const noexcept { return entries_.size() == 0; }
  bool is_matrix(Index d) const noexcept { return d > 1 && entries_.size() == d * d; }
  ConstMatrixMap matrix(Index d) const { return {entries_.data(), d, d}; }
  /// The number, or the least eigenvalue in d dimensions; NaN where the matrix is not symmetric.
  double least(Index d) const { return is_matrix(d) ? least_of_matrix_ : least_; }
  /// Rows of the matrix that the entries could be.
  Index side() const {
    return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(entries_.size()))));
  }

  /// Why the entries are no friction in d dimensions, or "".
  std::string refusal(Index d) const {
    if (is_number()) return {};
    if (entries_.size() != d && !is_matrix(d)) {
      return "has " + std::to_string(entries_.size()) + " numbers, and the dimension is " +
             std::to_string(d) + "; give " + std::to_string(d) + " for a diagonal, or " +
             std::to_string(d * d) + ", row by row";
    }
    if (least(d) > 0.0) return {};
    return is_matrix(d)
               ? "must be symmetric, with eigenvalues above 0"
               : "must have numbers above 0, as it is a diagonal in dimension " + std::to_string(d);
  }

  /// out (d x w) = eps (F - D) of each coordinate, or alpha - D, for a number or a diagonal. O(d).
  void loss_beyond(double D, ConstMatrixMap eps, MatrixMap out) const {
    if (per_step_) {
      out.setConstant(number_ - D);
    } else if (is_number()) {
      flat(out) = (number_ - D) * flat(eps);
    } else {
      out.array() = eps.array().colwise() * (entries_.array() - D);
    }
  }

 private:
  double number_ = 0.0;
  bool per_step_ = false;
  Eigen::VectorXd entries_{};
  double least_ = 0.0;
  double least_of_matrix_ = std::nan("");
};

/// The symmetric root of F - D I for the matrix that F's entries may be; empty where they are none.
inline Eigen::MatrixXd root_of_excess(const Friction& F, double D) {
  const Index d = F.side();
  if (!F.is_matrix(d)) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of(F.matrix(d));
  const Eigen::VectorXd spare = (of.eigenvalues().array() - D).max(0.0).sqrt();
  return of.eigenvectors() * spare.asDiagonal() * of.eigenvectors().transpose();
}

}  // namespace mixwell::friction
