// The negative log likelihood of a logistic regression and its gradient, for many columns at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <utility>
#include <vector>

namespace mixwell::logistic {

/// sum_n softplus(-z_n), z = S theta, where row n of S is x_n times +1 (positive label) or -1.
class Likelihood {
 public:
  Likelihood(Eigen::MatrixXd x, const std::vector<bool>& positive) : signed_(std::move(x)) {
    for (Index n = 0; n < signed_.rows(); ++n)
      if (!positive[static_cast<std::size_t>(n)]) signed_.row(n) *= -1;
  }

  /// Adds value (if wanted) and gradient to `out`. Blocks of rows stay in the cache between the two
  /// products; 4 N d R multiplications and additions, N R exponentials, and for the value one
  /// logarithm a block and column.
  void add_to(const ConstBatch& theta, const Evaluation& out) const {
    const Workspace::Frame frame(out.scratch);
    MatrixMap memory = out.scratch.matrix(block_rows, theta.cols());
    Batch gradient = out.gradient;
    for (Index first = 0; first < signed_.rows(); first += block_rows) {
      const auto rows = signed_.middleRows(first, std::min(block_rows, signed_.rows() - first));
      MatrixMap z(memory.data(), rows.rows(), theta.cols());
      by_width(theta.cols(), [&](auto columns) { columns(z).noalias() = rows * columns(theta); });
      if (out.wants_potential()) add_hinges(z, out.u());
      to_weights(z);
      if (out.wants_potential()) add_logarithms(z, out.u());
      by_width(theta.cols(),
               [&](auto columns) { columns(gradient).noalias() -= rows.transpose() * columns(z); });
    }
  }

 private:
  static constexpr Index block_rows = 128;
  /// Fewer columns than this are faster one by one than in one matrix product.
  static constexpr Index narrow = 8;

  /// Calls `multiply` with a function that picks the columns of a factor: each by itself in a
  /// narrow batch, else all.
  template <class Multiply>
  static void by_width(Index width, const Multiply& multiply) {
    if (width >= narrow) {
      multiply([width](auto& all) { return all.leftCols(width); });
      return;
    }
    for (Index j = 0; j < width; ++j) multiply([j](auto& all) { return all.col(j); });
  }

  /// softplus(-z) = max(-z, 0) + log(1 + exp(-|z|)): u gains the sums of the first term ...
  static void add_hinges(const MatrixMap& z, Row u) { u += (-z).cwiseMax(0.0).colwise().sum(); }

  /// ... and of the second, which with w = 1 / (1 + exp(z)) is -log max(w, 1 - w). The factors lie
  /// in [1/2, 1], so that the product over a block does not underflow.
  static void add_logarithms(const MatrixMap& w, Row u) {
    u -= w.array().max(1.0 - w.array()).colwise().prod().log().matrix();
  }

  /// z -> 1 / (1 + exp(z)): accurate for both signs of z, and exp(z) may overflow.
  static void to_weights(MatrixMap& z) { flat(z) = (1.0 + flat(z).exp()).inverse(); }

  Eigen::MatrixXd signed_;
};

}  // namespace mixwell::logistic
