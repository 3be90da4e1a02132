// The law of a proposal, N(m, eps^2 H), as a value of the kernel graph: its numbers, its draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace mixwell::metropolis_gaussian {

/// The numbers of a ProposalLaw.
struct ProposalNumbers : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

/// N(m, eps^2 H) with H = S S' and B = H^-1. Numbers of a column: those of the curvature, then m
/// (d of them), then eps.
class ProposalLaw final : public Potential {
 public:
  explicit ProposalLaw(std::shared_ptr<const Representation> curvature)
      : curvature_(std::move(curvature)) {}

  static Index rows(Index curvature, Index dimension) noexcept { return curvature + dimension + 1; }

  /// out = m + eps S z for z ~ N(0, I). One product with S.
  void draw(const Numbers& numbers, const edge::Noise& noise, Batch out, Workspace& scratch) const {
    curvature_->S(numbers, noise.normals(out.rows(), out.cols()), out, scratch);
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

/// The numbers of a ProposalLaw with m = centre - a H g, where a = eps^2 / 2 or a given factor; m =
/// centre without a gradient.
class WriteLaw {
 public:
  explicit WriteLaw(std::optional<double> factor) : factor_(factor) {}

  void operator()(Columns& block, edge::Curvature H, edge::StepSize eps, edge::PointPosition centre,
                  std::optional<edge::PointGradient> g, edge::Out<ProposalNumbers> numbers) const {
    const Index first = H.numbers().rows();
    const Index d = centre.rows();
    for (Index j = 0; j < numbers.cols() && first > 0; ++j) {
      std::copy_n(H.numbers().column(j), first, numbers.col(j).data());
    }
    auto mean = numbers.middleRows(first, d);
    mean = centre;
    numbers.bottomRows<1>() = eps;
    if (!g) return;
    MatrixMap step = block.scratch().matrix(d, mean.cols());
    H.H(*g, step, block.scratch());
    for (Index j = 0; j < step.cols(); ++j) {
      mean.col(j) -= factor_.value_or(0.5 * eps(j) * eps(j)) * step.col(j);
    }
  }

 private:
  std::optional<double> factor_;
};

}  // namespace mixwell::metropolis_gaussian
