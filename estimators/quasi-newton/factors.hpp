// A preconditioner as a product of factors that each differ from I by a rank-one matrix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "update.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace mixwell::quasi_newton {

/// a'b over all rows. `rows` is null if this process has all rows.
template <class A, class B>
double dot(const DividedRows* rows, const A& a, const B& b) {
  return rows == nullptr ? a.dot(b) : rows->dot(a, b);
}

template <class A>
double squared_norm(const DividedRows* rows, const A& a) {
  return rows == nullptr ? a.squaredNorm() : rows->dot(a, a);
}

/// Numbers of a column: gamma, the number of pairs, and log det of the factors of H (without
/// gamma). Then for each pair s'y, c = sqrt(s'y / s'Bs), and `vectors` vectors of length d: p = s /
/// s'y, q = y + c B s, and y if there is a third.
struct FactorLayout {
  enum : Index { gamma, pairs, log_det, header };
  enum : Index { sy, c, scalars };
  Index d;
  Index vectors;
  Index pair_rows() const noexcept { return scalars + vectors * d; }
  Index pair(Index k) const noexcept { return header + k * pair_rows(); }
};

/// H = S S' and B = C C', with S = T_K ... T_1 sqrt(gamma) and T_k = I - p_k q_k'. In the
/// literature the factors of C are I - u t' with u = B s + y / c = q / c and t = s / s'Bs = c^2 p.
/// Such a factor equals I - c q p', so one pair of vectors is enough for S and C. The factor is the
/// inverse of T_k', because p'q = 1 + 1/c.
class Factors {
 public:
  /// `rows` as in Numbers::divided_rows.
  Factors(const double* numbers, const FactorLayout& at, const DividedRows* rows) noexcept
      : numbers_(numbers), at_(at), rows_(rows) {}

  double gamma() const noexcept { return numbers_[FactorLayout::gamma]; }
  Index pairs() const noexcept { return static_cast<Index>(numbers_[FactorLayout::pairs]); }
  /// log det of H without gamma: the sum of log (p'q - 1)^2 = -2 log c.
  double log_det() const noexcept { return numbers_[FactorLayout::log_det]; }
  double sy(Index k) const noexcept { return numbers_[at_.pair(k) + FactorLayout::sy]; }
  double c(Index k) const noexcept { return numbers_[at_.pair(k) + FactorLayout::c]; }
  auto p(Index k) const noexcept { return vector(k, 0); }
  auto q(Index k) const noexcept { return vector(k, 1); }
  auto y(Index k) const noexcept { return vector(k, 2); }

  template <class A, class B>
  double dot(const A& a, const B& b) const {
    return quasi_newton::dot(rows_, a, b);
  }

  // Each function overwrites its argument with the product: 2 K d multiplications.
  void S(Vector x) const {
    x *= std::sqrt(gamma());
    for (Index k = 0; k < pairs(); ++k) x -= dot(q(k), x) * p(k);
  }
  void St(Vector x) const {
    for (Index k = pairs(); k-- > 0;) x -= dot(p(k), x) * q(k);
    x *= std::sqrt(gamma());
  }
  void C(Vector x) const {
    x /= std::sqrt(gamma());
    for (Index k = 0; k < pairs(); ++k) x -= c(k) * dot(p(k), x) * q(k);
  }
  void Ct(Vector x) const {
    for (Index k = pairs(); k-- > 0;) x -= c(k) * dot(q(k), x) * p(k);
    x /= std::sqrt(gamma());
  }

 private:
  Eigen::Map<const Eigen::VectorXd> vector(Index k, Index which) const noexcept {
    return {numbers_ + at_.pair(k) + FactorLayout::scalars + which * at_.d, at_.d};
  }

  const double* numbers_;
  FactorLayout at_;
  const DividedRows* rows_;
};

/// O(K d) for each product and column.
class FactorRepresentation : public Representation {
 public:
  explicit FactorRepresentation(Index vectors) : vectors_(vectors) {}

  void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    each(numbers, v, out, [](const Factors& f, Vector x) { f.St(x), f.S(x); });
  }
  void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    each(numbers, v, out, [](const Factors& f, Vector x) { f.Ct(x), f.C(x); });
  }
  void S(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const final {
    each(numbers, z, out, [](const Factors& f, Vector x) { f.S(x); });
  }
  void St(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const final {
    each(numbers, v, out, [](const Factors& f, Vector x) { f.St(x); });
  }
  void C(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const final {
    each(numbers, z, out, [](const Factors& f, Vector x) { f.C(x); });
  }
  void log_det_H(const Numbers& numbers, Index dimension, Row out, Workspace&) const final {
    for (Index j = 0; j < out.cols(); ++j) {
      const Factors f(numbers.column(j), {dimension, vectors_}, numbers.divided_rows());
      out(j) = static_cast<double>(dimension) * std::log(f.gamma()) + f.log_det();
    }
  }

 protected:
  /// Copies v to out and calls apply(factors, x) for every column x of out.
  template <class Apply>
  void each(const Numbers& numbers, ConstBatch v, Batch out, const Apply& apply) const {
    for (Index j = 0; j < v.cols(); ++j) {
      out.col(j) = v.col(j);
      apply(Factors(numbers.column(j), {v.rows(), vectors_}, numbers.divided_rows()), out.col(j));
    }
  }

 private:
  Index vectors_;
};

/// Writes the numbers of one column; `Vectors` as in FactorLayout.
template <Index Vectors>
class FactorForm {
 public:
  static Index rows(Index d, Index pairs) { return FactorLayout{d, Vectors}.pair(pairs); }

  FactorForm(double* numbers, Index d, const DividedRows* rows)
      : numbers_(numbers), at_{d, Vectors}, rows_(rows) {}

  void start(double gamma) { numbers_[FactorLayout::gamma] = gamma; }

  /// O(K d): B s needs two passes over the earlier pairs.
  void add(ConstVectorRef s, ConstVectorRef y, double sy, Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    const Factors before(numbers_, at_, rows_);
    const Index k = before.pairs();
    auto Bs = quasi_newton::vector(scratch, at_.d);
    Bs = s;
    before.Ct(Bs);
    const double c = std::sqrt(sy / squared_norm(rows_, Bs));  // s'Bs = |C's|^2
    before.C(Bs);
    double* scalars = numbers_ + at_.pair(k);
    scalars[FactorLayout::sy] = sy;
    scalars[FactorLayout::c] = c;
    vector(k, 0) = s / sy;
    vector(k, 1) = y + c * Bs;
    if constexpr (Vectors > 2) vector(k, 2) = y;
    numbers_[FactorLayout::log_det] -= 2.0 * std::log(c);
    numbers_[FactorLayout::pairs] += 1.0;
  }

 private:
  Eigen::Map<Eigen::VectorXd> vector(Index k, Index which) {
    return {numbers_ + at_.pair(k) + FactorLayout::scalars + which * at_.d, at_.d};
  }

  double* numbers_;
  FactorLayout at_;
  const DividedRows* rows_;
};

}  // namespace mixwell::quasi_newton
