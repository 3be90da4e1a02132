// One step of stochastic-gradient Fisher scoring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace mixwell::fisher_scoring {

/// Layout of the history of one column: the number of estimates in the mean of J, then the mean, d
/// numbers of a diagonal or d^2 of a matrix.
struct InformationRows {
  Index d;
  bool whole;

  static constexpr Index header = 1;
  Index numbers() const noexcept { return whole ? d * d : d; }
  Index rows() const noexcept { return header + numbers(); }
  /// Number of estimates that the mean needs before a step is taken. One estimate has a rank of at
  /// least 1, and a diagonal may be close to 0.
  Index estimates_needed() const noexcept { return 10 + (whole ? d : 0); }
};

/// B and a matrix C with C C' = B; empty for B = I.
struct Preconditioner {
  Eigen::MatrixXd B{};
  Eigen::MatrixXd C{};

  bool is_identity() const noexcept { return B.size() == 0; }
};

/// theta <- theta - K (g + e), K = 2 (J + V + E)^-1, e ~ N(0, E), with E = 2 B / eps, or 0 without
/// eps. J is the information, and V = J / c the covariance of the noise of the gradient. For a
/// Gaussian of precision J
///   (1 - K J) J^-1 (1 - J K) + K (V + E) K = J^-1,
/// so the step leaves the Gaussian invariant at every step size. A column does not move until J is
/// the mean of enough estimates; if J is not such a mean after warmup (`has_learnt`), the step
/// throws InputError. Costs one gradient, and for each column O(d) operations for a diagonal, or
/// d^3/3 for a matrix.
class Step {
 public:
  Step(double share, InformationRows at, Preconditioner by, bool has_learnt)
      : with_noise_(1.0 + 1.0 / share), at_(at), by_(std::move(by)), has_learnt_(has_learnt) {}

  void operator()(Columns& block, edge::Position theta, edge::Law law,
                  std::optional<edge::StepSize> eps, edge::Learnt information,
                  std::optional<edge::Drift>, std::optional<edge::Diffusion>,
                  std::optional<edge::Noise> noise, edge::Out<edge::Position> next) const {
    Workspace& scratch = block.scratch();
    const Index w = theta.cols();
    MatrixMap move = scratch.matrix(at_.d, w);
    law.evaluate(theta, {nullptr, move, scratch, 1});
    if (noise) add_noise(*noise, *eps, move, scratch);
    edge::begin(theta, next);
    for (Index j = 0; j < w; ++j) {
      if (information(0, j) < static_cast<double>(at_.estimates_needed())) {
        if (has_learnt_) too_few(information(0, j));
        continue;
      }
      solve(information.col(j).data() + InformationRows::header, eps ? (*eps)(j) : 0.0, move.col(j),
            scratch);
      if (move.col(j).allFinite()) {
        next.col(j) -= 2.0 * move.col(j);
      } else {
        block.report(lost(j, move), theta);
      }
    }
  }

 private:
  [[noreturn]] void too_few(double estimates) const {
    throw InputError("kernel `fisher-scoring`: the Fisher information is the mean of " +
                     std::to_string(static_cast<Index>(estimates)) +
                     " estimates (one from each warmup sweep), but dimension " +
                     std::to_string(at_.d) + " needs " + std::to_string(at_.estimates_needed()) +
                     " estimates. Raise `run.warmup`.");
  }

  void add_noise(const edge::Noise& noise, const edge::StepSize& eps, MatrixMap to,
                 Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    MatrixMap z = scratch.matrix(to.rows(), to.cols());
    MatrixMap e = scratch.matrix(to.rows(), to.cols());
    noise.normals(z);
    if (by_.is_identity()) {
      e = z;
    } else {
      e.noalias() = by_.C * z;
    }
    for (Index j = 0; j < to.cols(); ++j) to.col(j) += std::sqrt(2.0 / eps(j)) * e.col(j);
  }

  /// x <- (J + V + 2 B / eps)^-1 x; NaN if the matrix in brackets is not positive definite.
  void solve(const double* information, double eps, Batch x, Workspace& scratch) const {
    const double of_B = eps > 0.0 ? 2.0 / eps : 0.0;
    if (!at_.whole) {
      const Eigen::Map<const Eigen::ArrayXd> diagonal(information, at_.d);
      x.array() /= with_noise_ * diagonal + of_B;
      return;
    }
    const Workspace::Frame frame(scratch);
    MatrixMap P = scratch.matrix(at_.d, at_.d);
    P = with_noise_ * ConstMatrixMap(information, at_.d, at_.d);
    if (by_.is_identity()) {
      P.diagonal().array() += of_B;
    } else {
      P += of_B * by_.B;
    }
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(P);
    if (in_place.info() == Eigen::Success) {
      in_place.solveInPlace(x);
    } else {
      x.setConstant(std::nan(""));
    }
  }

  double with_noise_;  ///< factor of J + V = (1 + 1/c) J
  InformationRows at_;
  Preconditioner by_;
  bool has_learnt_;
};

}  // namespace mixwell::fisher_scoring
