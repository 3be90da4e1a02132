// Values and gradients of the logistic density of the sources, for blocks of cases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/law/lanes.hpp>
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell::ica {

/// Replaces s[k] by tanh(s[k] / 2), and sets e[k] = exp(-|s[k]|), for k < count, a multiple of 4.
inline void to_slopes(double* s, double* e, Index count) {
  using namespace lanes;
  const Bits sign = bits(broadcast(-0.0));
  for (Index k = 0; k < count; k += 4) {
    const Four x = load(s + k);
    const Four small = exp_of_negative(from_bits(bits(x) | sign));
    const Four size = (1.0 - small) / (1.0 + small);
    store(e + k, small);
    store(s + k, from_bits(bits(size) | (bits(x) & sign)));
  }
}

/// N cases x_n of c channels. At a position `rows` (c x c, whose column i is w_i) case n has the
/// potential sum_i -log p(w_i' x_n) with p(y) = 1 / (4 cosh^2(y / 2)): |y| + 2 log(1 + exp(-|y|)),
/// of slope tanh(y / 2). Positions go through the cases one by one, so the result of one position
/// does not depend on the other positions.
class Sources {
 public:
  /// `x`: N x c.
  explicit Sources(Eigen::MatrixXd x) : x_(std::move(x)) {}

  Index cases() const noexcept { return x_.rows(); }

  /// Returns the potential of all cases (0 unless wanted), and adds the gradient of the potential
  /// to `gradient` (c x c, as `rows`). Costs 4 N c^2 multiplications and additions, N c
  /// exponentials and N logarithms.
  double add(ConstBatch rows, Batch gradient, bool wants_value, Workspace& scratch) const {
    double value = 0.0;
    for (Index first = 0; first < cases(); first += block) {
      const Index count = std::min(block, cases() - first);
      value += add_block(x_.middleRows(first, count), rows, gradient, wants_value, scratch);
    }
    return value;
  }

  /// Like add(), but only for the cases `indices` (b x 1). A repeated index counts each time.
  double add_some(ConstBatch indices, ConstBatch rows, Batch gradient, bool wants_value,
                  Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    MatrixMap chosen = scratch.matrix(std::min(block, indices.rows()), x_.cols());
    double value = 0.0;
    for (Index first = 0; first < indices.rows(); first += block) {
      const Index count = std::min(block, indices.rows() - first);
      for (Index k = 0; k < count; ++k) chosen.row(k) = case_of(indices(first + k, 0));
      value += add_block(chosen.topRows(count), rows, gradient, wants_value, scratch);
    }
    return value;
  }

  /// Writes the gradient of case indices(k) (b x 1) to column k of `out` (c^2 x b).
  void gradients_of_terms(ConstBatch rows, ConstBatch indices, Batch out) const {
    const Index c = x_.cols();
    for (Index k = 0; k < indices.rows(); ++k) {
      const auto x = case_of(indices(k, 0)).transpose();
      for (Index i = 0; i < c; ++i)
        out.col(k).segment(i * c, c) = std::tanh(0.5 * rows.col(i).dot(x)) * x;
    }
  }

 private:
  static constexpr Index block = 256;

  Eigen::MatrixXd::ConstRowXpr case_of(double index) const {
    return x_.row(static_cast<Index>(index));
  }

  static double add_block(ConstBatch x, ConstBatch rows, Batch gradient, bool wants_value,
                          Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    const Index padded = (x.rows() * rows.cols() + 3) / 4 * 4;
    MatrixMap memory = scratch.matrix(padded, 2);
    memory.bottomRows(std::min<Index>(padded, 4)).setZero();
    MatrixMap s(memory.data(), x.rows(), rows.cols());
    MatrixMap e(memory.data() + padded, x.rows(), rows.cols());
    s.noalias() = x.lazyProduct(rows);
    double value = wants_value ? s.array().abs().sum() : 0.0;
    to_slopes(s.data(), e.data(), padded);
    if (wants_value) value += 2.0 * log_of_products(e, scratch);
    gradient.noalias() += x.transpose().lazyProduct(s);
    return value;
  }

  /// The sum of log(1 + e), with one logarithm for each 8 cases. The product of 8 c numbers of at
  /// most 2 is far from overflow.
  static double log_of_products(const MatrixMap& e, Workspace& scratch) {
    constexpr Index width = block / 8;
    MatrixMap products = scratch.matrix(width, 1);
    products.setOnes();
    for (Index i = 0; i < e.cols(); ++i)
      for (Index first = 0; first < e.rows(); first += width) {
        const Index count = std::min(width, e.rows() - first);
        products.col(0).head(count).array() *= 1.0 + e.col(i).segment(first, count).array();
      }
    return products.array().log().sum();
  }

  Eigen::MatrixXd x_;
};

}  // namespace mixwell::ica
