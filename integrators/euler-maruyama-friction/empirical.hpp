// Noise that friction leaves to be injected, where the gradient's own is estimated in each step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "friction.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace mixwell::friction {

/// The end of one step: theta and loss = eps F are d x w, `draw` is that of the step's gradient.
/// Where F is a matrix, loss is not read.
struct StepEnd {
  ConstBatch theta;
  const Friction& F;
  ConstBatch loss;
  const Motion& motion;
  std::uint32_t draw;
};

/// The first column where F >= D^ does not hold.
struct Excess {
  double eps;
  double largest;  ///< of D^: its largest entry on the diagonal, or its largest eigenvalue
};

/// z (d x w) becomes N(0, 2 eps (F I - D^)), D^ = eps/2 diag(V^), for a flow with A = I. A column
/// that is not finite stays its own trouble. 4 d beyond the estimate.
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

/// The estimated covariance of A' g for each column, V^ or, where `whole` is false, its diagonal
/// alone between A' and A.
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

  /// Each column of each matrix, times A'.
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

/// As scale_by_diagonal, with D^ = eps/2 A' V^ A for any A and any F: by Cholesky of F - D^, which
/// must be positive definite. d^3/3 a column beyond ForceNoise.
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
