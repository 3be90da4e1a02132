// The friction F of a scheme, and the noise N(0, 2 eps (F - D)) that the scheme adds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::friction {

/// F, symmetric and positive definite; or alpha = eps F for a number F.
class Friction {
 public:
  Friction(double value, bool per_step) : number_(value), per_step_(per_step), least_(value) {}

  /// d entries of a diagonal, or d^2 entries of a matrix, row by row. One entry is a diagonal. The
  /// dimension distinguishes the two cases; see `refusal`.
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
  /// The number, or the least eigenvalue in d dimensions; NaN if the matrix is not symmetric.
  double least(Index d) const { return is_matrix(d) ? least_of_matrix_ : least_; }
  /// Number of rows if the entries are a square matrix.
  Index side() const {
    return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(entries_.size()))));
  }

  /// The reason why the entries are not a friction in d dimensions, as the rest of a sentence.
  /// Empty if they are a friction.
  std::string refusal(Index d) const {
    if (is_number()) return {};
    if (entries_.size() != d && !is_matrix(d)) {
      return "has " + std::to_string(entries_.size()) + " entries, but the dimension is " +
             std::to_string(d) + ". Give " + std::to_string(d) + " entries for a diagonal, or " +
             std::to_string(d * d) + " for a matrix, row by row.";
    }
    if (least(d) > 0.0) return {};
    return is_matrix(d) ? "must be symmetric, and all its eigenvalues must be above 0."
                        : "must contain only positive entries, because it is the diagonal of F in "
                          "dimension " +
                              std::to_string(d) + ".";
  }

  /// out (d x w) = eps (F - D) of each coordinate, or alpha - D; F is a number or a diagonal. Costs
  /// O(d) operations for each column.
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

/// The symmetric root of F - D I if the entries of F may be a matrix; empty otherwise.
inline Eigen::MatrixXd root_of_excess(const Friction& F, double D) {
  const Index d = F.side();
  if (!F.is_matrix(d)) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> of(F.matrix(d));
  const Eigen::VectorXd spare = (of.eigenvalues().array() - D).max(0.0).sqrt();
  return of.eigenvectors() * spare.asDiagonal() * of.eigenvectors().transpose();
}

/// The end of one step: theta and loss = eps F are d x w, and `draw` is the draw of the step's
/// gradient. If F is a matrix, loss is not read.
struct StepEnd {
  ConstBatch theta;
  const Friction& F;
  ConstBatch loss;
  const Motion& motion;
  std::uint32_t draw;
};

/// The first column in which F >= D^ does not hold.
struct Excess {
  double eps;
  double largest;  ///< largest diagonal entry of D^, or largest eigenvalue of D^
};

/// Replaces z (d x w) by N(0, 2 eps (F I - D^)), D^ = eps/2 diag(V^), for a flow with A = I. A
/// column that is not finite is left to the divergence check. Costs 4 d operations beyond the
/// estimate of V.
inline std::optional<Excess> scale_by_diagonal(const StepEnd& step, MatrixMap z) {
  const Workspace::Frame frame(step.motion.scratch);
  MatrixMap V = step.motion.scratch.matrix(z.rows(), z.cols());
  step.motion.law.noise_diagonal(step.theta, step.draw, V, step.motion.scratch);
  for (Index j = 0; j < z.cols(); ++j) {
    const double eps = step.motion.eps(0, j);
    const auto spare = step.loss.col(j).array() - 0.5 * eps * eps * V.col(j).array();
    if ((spare < 0.0).any()) return Excess{eps, 0.5 * eps * V.col(j).maxCoeff()};
    z.col(j).array() *= (2.0 * spare).sqrt();
  }
  return {};
}

/// The estimated covariance of A' g for each column. V^ is the full estimate or, if `whole` is
/// false, only its diagonal.
class ForceNoise {
 public:
  ForceNoise(const StepEnd& step, bool whole)
      : step_(step),
        d_(step.theta.rows()),
        w_(step.theta.cols()),
        V_(step.motion.scratch.matrix(d_ * d_, w_)) {
    if (whole) {
      step.motion.law.noise_covariance(step.theta, step.draw, V_, step.motion.scratch);
    } else {
      set_diagonal();
    }
    if (step.motion.flow.force_is_gradient()) return;
    MatrixMap half = step.motion.scratch.matrix(d_ * d_, w_);
    multiply(V_, half);  // A' V
    transpose(half);     // V A
    multiply(half, V_);  // A' V A
  }

  MatrixMap of(Index j) { return {V_.col(j).data(), d_, d_}; }

 private:
  void set_diagonal() {
    const Workspace::Frame frame(step_.motion.scratch);
    MatrixMap diagonal = step_.motion.scratch.matrix(d_, w_);
    step_.motion.law.noise_diagonal(step_.theta, step_.draw, diagonal, step_.motion.scratch);
    V_.setZero();
    for (Index i = 0; i < d_; ++i) V_.row(i * (d_ + 1)) = diagonal.row(i);
  }

  /// Multiplies each column of each matrix by A'.
  void multiply(const MatrixMap& from, MatrixMap& to) const {
    const Workspace::Frame frame(step_.motion.scratch);
    MatrixMap v = step_.motion.scratch.matrix(d_, w_);
    MatrixMap product = step_.motion.scratch.matrix(d_, w_);
    for (Index i = 0; i < d_; ++i) {
      v = from.middleRows(i * d_, d_);
      step_.motion.flow.force(v, product, step_.motion.scratch);
      to.middleRows(i * d_, d_) = product;
    }
  }

  void transpose(MatrixMap& all) const {
    for (Index j = 0; j < w_; ++j) MatrixMap(all.col(j).data(), d_, d_).transposeInPlace();
  }

  const StepEnd& step_;
  Index d_;
  Index w_;
  MatrixMap V_;
};

/// Like scale_by_diagonal, but with D^ = eps/2 A' V^ A for any A and any F. It needs a Cholesky
/// factor of F - D^, which must be positive definite. Costs d^3 / 3 operations for each column,
/// beyond ForceNoise.
inline std::optional<Excess> scale_by_matrix(const StepEnd& step, bool whole, MatrixMap z) {
  const Workspace::Frame frame(step.motion.scratch);
  ForceNoise noise(step, whole);
  Eigen::Map<Eigen::VectorXd> scaled(step.motion.scratch.row(z.rows()).data(), z.rows());
  for (Index j = 0; j < z.cols(); ++j) {
    const double eps = step.motion.eps(0, j);
    MatrixMap spare = noise.of(j);
    if (!spare.allFinite()) {
      z.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    spare *= -0.5 * eps * eps;
    if (step.F.is_matrix(z.rows())) {
      spare += eps * step.F.matrix(z.rows());
    } else {
      spare.diagonal() += step.loss.col(j);
    }
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(spare);
    if (in_place.info() != Eigen::Success) {
      MatrixMap D = ForceNoise(step, whole).of(j);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(D, Eigen::EigenvaluesOnly);
      return Excess{eps, 0.5 * eps * spectrum.eigenvalues().maxCoeff()};
    }
    scaled.noalias() = spare.triangularView<Eigen::Lower>() * z.col(j);
    z.col(j) = std::sqrt(2.0) * scaled;
  }
  return {};
}

}  // namespace mixwell::friction
