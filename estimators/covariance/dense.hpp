// A preconditioner stored as a matrix and its Cholesky factor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

namespace mixwell::covariance {

/// Layout of the numbers for dimension d: H (d x d, whole) and its Cholesky factor S (d x d, lower
/// triangle, zeros above). More numbers may follow.
struct DenseNumbers {
  explicit DenseNumbers(Index dimension) : d(dimension) {}
  Index d;
  Index covariance() const { return 0; }
  Index factor() const { return d * d; }
  Index rows() const { return 2 * d * d; }
};

/// Writes S of H = S S' to factor, d x d lower triangular. Returns false if H is not positive
/// definite; factor is then undefined. O(d^3).
inline bool cholesky(ConstBatch H, MatrixMap factor) {
  factor = H;
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(factor);
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  return in_place.info() == Eigen::Success;
}

/// O(d^2) for each product and column. Columns that share their numbers are multiplied together.
class DenseRepresentation final : public Representation {
 public:
  void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    each(numbers, v, out,
         [](const auto& h, const auto&, const auto& x, auto y) { y.noalias() = h * x; });
  }
  void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    each(numbers, v, out, [](const auto&, const auto& s, const auto& x, auto y) {
      y = x;
      s.template triangularView<Eigen::Lower>().solveInPlace(y);
      s.transpose().template triangularView<Eigen::Upper>().solveInPlace(y);
    });
  }
  void S(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const override {
    each(numbers, z, out, [](const auto&, const auto& s, const auto& x, auto y) {
      y.noalias() = s.template triangularView<Eigen::Lower>() * x;
    });
  }
  void St(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    each(numbers, v, out, [](const auto&, const auto& s, const auto& x, auto y) {
      y.noalias() = s.transpose().template triangularView<Eigen::Upper>() * x;
    });
  }
  void C(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const override {
    each(numbers, z, out, [](const auto&, const auto& s, const auto& x, auto y) {
      y = x;
      s.transpose().template triangularView<Eigen::Upper>().solveInPlace(y);
    });
  }
  void log_det_H(const Numbers& numbers, Index dimension, Row out, Workspace&) const override {
    for (Index j = 0; j < out.cols(); ++j) {
      const auto s = square(numbers, DenseNumbers(dimension).factor(), dimension, j);
      out(j) = 2.0 * s.diagonal().array().log().sum();
    }
  }

 private:
  static ConstMatrixMap square(const Numbers& numbers, Index first, Index d, Index j) {
    return {numbers.column(j) + first, d, d};
  }

  /// Calls apply(H, S, x, y), once for all columns if they share the numbers, otherwise for each
  /// column.
  template <class Apply>
  static void each(const Numbers& numbers, ConstBatch v, Batch out, const Apply& apply) {
    const DenseNumbers at(v.rows());
    if (numbers.shared()) {
      apply(square(numbers, at.covariance(), at.d, 0), square(numbers, at.factor(), at.d, 0), v,
            out.leftCols(v.cols()));
      return;
    }
    for (Index j = 0; j < v.cols(); ++j) {
      apply(square(numbers, at.covariance(), at.d, j), square(numbers, at.factor(), at.d, j),
            v.col(j), out.col(j));
    }
  }
};

}  // namespace mixwell::covariance
