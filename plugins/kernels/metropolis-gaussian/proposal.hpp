// The law of a proposal, N(m, eps^2 H), as a value of the kernel graph: its numbers, its draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace mixwell::metropolis_gaussian {

/// N(m, eps^2 H) with H = S S' and B = H^-1. Numbers of a column: those of the curvature, then m
/// (d of them), then eps.
class ProposalLaw final : public Potential {
 public:
  explicit ProposalLaw(std::shared_ptr<const Representation> curvature)
      : curvature_(std::move(curvature)) {}

  static Index rows(Index curvature, Index dimension) noexcept { return curvature + dimension + 1; }

  /// out = m + eps S z for z ~ N(0, I); out must not alias z. One product with S.
  void draw(const Numbers& numbers, ConstBatch z, Batch out, Workspace& scratch) const {
    curvature_->S(numbers, z, out, scratch);
    for (Index j = 0; j < out.cols(); ++j) {
      const Tail at(numbers, j, out.rows());
      out.col(j) = at.mean + at.eps * out.col(j);
    }
  }

  /// u = 1/2 (y - m)' B (y - m) / eps^2 + 1/2 log det H + d log eps, the negative log density up to
  /// the constant d log(2 pi) / 2; gradient = B (y - m) / eps^2. One product with B.
  void evaluate(const Numbers& numbers, ConstBatch y, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    const Index d = y.rows();
    MatrixMap step = out.scratch.matrix(d, y.cols());
    Batch gradient = out.gradient;
    for (Index j = 0; j < y.cols(); ++j) {
      const Tail at(numbers, j, d);
      step.col(j) = (y.col(j) - at.mean) / at.eps;
    }
    curvature_->B(numbers, step, gradient, out.scratch);
    if (out.wants_potential()) potential(numbers, step, gradient, out);
    for (Index j = 0; j < y.cols(); ++j) gradient.col(j) /= Tail(numbers, j, d).eps;
  }
  double gradient_cost() const noexcept override { return 0.0; }

 private:
  /// What stands behind the curvature's numbers of a column.
  struct Tail {
    Tail(const Numbers& numbers, Index j, Index d)
        : mean(numbers.column(j) + numbers.rows() - d - 1, d),
          eps(numbers.column(j)[numbers.rows() - 1]) {}
    Eigen::Map<const Eigen::VectorXd> mean;
    double eps;
  };

  void potential(const Numbers& numbers, ConstBatch step, ConstBatch product,
                 const Evaluation& out) const {
    const Index d = step.rows();
    RowMap log_det = out.scratch.row(step.cols());
    curvature_->log_det_H(numbers, d, log_det, out.scratch);
    RowMap u = out.u();
    column_dots(step, product, u);
    for (Index j = 0; j < u.cols(); ++j) {
      // B is positive definite: rounding has left nothing of it.
      if (u(j) < 0.0) u(j) = std::nan("");
      u(j) = 0.5 * (u(j) + log_det(j)) + static_cast<double>(d) * std::log(Tail(numbers, j, d).eps);
    }
  }

  std::shared_ptr<const Representation> curvature_;
};

/// Inputs: curvature, eps, centre, and the gradient there if the mean is a step from it. Output:
/// the numbers of a ProposalLaw with m = centre - a H g, where a = eps^2 / 2 or a given factor.
class LawBody final : public Body {
 public:
  enum In : std::size_t { curvature, eps, centre, gradient };

  LawBody(bool steps, std::optional<double> factor) : steps_(steps), factor_(factor) {}

  void run(Block& block) const override {
    MatrixMap numbers = block.out(0);
    const ConstMatrixMap from = block.in(curvature);
    const Index first = from.rows();
    const Index d = block.in(centre).rows();
    if (first > 0) {
      for (Index j = 0; j < numbers.cols(); ++j) {
        numbers.col(j).head(first) = from.col(from.cols() == 1 ? 0 : j);
      }
    }
    numbers.middleRows(first, d) = block.in(centre);
    numbers.bottomRows<1>() = block.in_row(eps);
    if (steps_) subtract_step(block, numbers.middleRows(first, d));
  }

 private:
  template <class Mean>
  void subtract_step(Block& block, Mean mean) const {
    MatrixMap step = block.scratch().matrix(mean.rows(), mean.cols());
    block.curvature(curvature).H(block.in(gradient), step, block.scratch());
    const ConstRowMap scale = block.in_row(eps);
    for (Index j = 0; j < step.cols(); ++j) {
      mean.col(j) -= factor_.value_or(0.5 * scale(j) * scale(j)) * step.col(j);
    }
  }

  bool steps_;
  std::optional<double> factor_;
};

/// Inputs: law, noise. Output: the proposal's next version.
class DrawBody final : public Body {
 public:
  void run(Block& block) const override {
    MatrixMap y = block.out(0);
    MatrixMap z = block.scratch().matrix(y.rows(), y.cols());
    block.normals(1, z);
    block.function<ProposalLaw>(0).draw(block.in(0), z, y, block.scratch());
  }
};

}  // namespace mixwell::metropolis_gaussian
