// A preconditioner stored as variances and their square roots.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

namespace mixwell::covariance {

/// Layout of the numbers for dimension d: variances (d) and standard deviations (d). More numbers
/// may follow.
struct DiagonalNumbers {
  explicit DiagonalNumbers(Index dimension) : d(dimension) {}
  Index d;
  Index variance() const { return 0; }
  Index deviation() const { return d; }
  Index rows() const { return 2 * d; }
};

/// O(d) for each product and column.
class DiagonalRepresentation final : public Representation {
 public:
  void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    multiply(numbers, DiagonalNumbers(v.rows()).variance(), v, out);
  }
  void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    divide(numbers, DiagonalNumbers(v.rows()).variance(), v, out);
  }
  void S(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const override {
    multiply(numbers, DiagonalNumbers(z.rows()).deviation(), z, out);
  }
  void St(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    multiply(numbers, DiagonalNumbers(v.rows()).deviation(), v, out);
  }
  void C(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const override {
    divide(numbers, DiagonalNumbers(z.rows()).deviation(), z, out);
  }
  void log_det_H(const Numbers& numbers, Index dimension, Row out, Workspace&) const override {
    for (Index j = 0; j < out.cols(); ++j) {
      out(j) = of(numbers, DiagonalNumbers(dimension).variance(), dimension, j).array().log().sum();
    }
  }

 private:
  static Eigen::Map<const Eigen::VectorXd> of(const Numbers& numbers, Index first, Index d,
                                              Index j) {
    return {numbers.column(j) + first, d};
  }
  static void multiply(const Numbers& numbers, Index first, ConstBatch v, Batch out) {
    for (Index j = 0; j < v.cols(); ++j) {
      out.col(j) = v.col(j).cwiseProduct(of(numbers, first, v.rows(), j));
    }
  }
  static void divide(const Numbers& numbers, Index first, ConstBatch v, Batch out) {
    for (Index j = 0; j < v.cols(); ++j) {
      out.col(j) = v.col(j).cwiseQuotient(of(numbers, first, v.rows(), j));
    }
  }
};

}  // namespace mixwell::covariance
