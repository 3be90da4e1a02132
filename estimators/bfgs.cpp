// Estimator `bfgs`: a BFGS preconditioner stored as dense matrices.
// SPDX-License-Identifier: Apache-2.0
#include "quasi-newton/estimator.hpp"
#include "quasi-newton/update.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>

namespace mixwell::quasi_newton {
namespace {

/// Numbers of a column: H, S, C (d x d each), log det H.
class DenseRepresentation final : public Representation {
 public:
  enum : Index { in_H, in_S, in_C, matrices };

  void H(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    each(numbers, in_H, v, [&](Index j, const auto& h) { out.col(j).noalias() = h * v.col(j); });
  }
  void B(const Numbers& numbers, ConstBatch v, Batch out, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    auto inner = vector(scratch, v.rows());
    each(numbers, in_C, v, [&](Index j, const auto& c) {
      inner.noalias() = c.transpose() * v.col(j);
      out.col(j).noalias() = c * inner;
    });
  }
  void S(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const override {
    each(numbers, in_S, z, [&](Index j, const auto& s) { out.col(j).noalias() = s * z.col(j); });
  }
  void St(const Numbers& numbers, ConstBatch v, Batch out, Workspace&) const override {
    each(numbers, in_S, v,
         [&](Index j, const auto& s) { out.col(j).noalias() = s.transpose() * v.col(j); });
  }
  void C(const Numbers& numbers, ConstBatch z, Batch out, Workspace&) const override {
    each(numbers, in_C, z, [&](Index j, const auto& c) { out.col(j).noalias() = c * z.col(j); });
  }
  void log_det_H(const Numbers& numbers, Index dimension, Row out, Workspace&) const override {
    for (Index j = 0; j < out.cols(); ++j) {
      out(j) = numbers.column(j)[matrices * dimension * dimension];
    }
  }

 private:
  template <class Apply>
  static void each(const Numbers& numbers, Index which, ConstBatch v, const Apply& apply) {
    const Index d = v.rows();
    for (Index j = 0; j < v.cols(); ++j) {
      apply(j, ConstMatrixMap(numbers.column(j) + which * d * d, d, d));
    }
  }
};

/// Writes the numbers of one column.
class DenseForm {
 public:
  static Index rows(Index d, Index) { return DenseRepresentation::matrices * d * d + 1; }
  static std::shared_ptr<const Representation> representation() {
    return std::make_shared<DenseRepresentation>();
  }

  DenseForm(double* numbers, Index d, const DividedRows* /*all are here*/)
      : H_(numbers + DenseRepresentation::in_H * d * d, d, d),
        S_(numbers + DenseRepresentation::in_S * d * d, d, d),
        C_(numbers + DenseRepresentation::in_C * d * d, d, d),
        log_det_(numbers + DenseRepresentation::matrices * d * d) {}

  void start(double gamma) {
    H_.diagonal().setConstant(gamma);
    S_.diagonal().setConstant(std::sqrt(gamma));
    C_.diagonal().setConstant(1.0 / std::sqrt(gamma));
    *log_det_ = static_cast<double>(H_.rows()) * std::log(gamma);
  }

  /// O(d^2): five products and three passes. S <- (I - p q')S and C <- (I - c q p')C; see Factors.
  void add(ConstVectorRef s, ConstVectorRef y, double sy, Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    auto row = vector(scratch, s.size());
    auto q = vector(scratch, s.size());
    update_inverse(H_, s, y, sy, row);
    row.noalias() = C_.transpose() * s;
    const double c = std::sqrt(sy / row.squaredNorm());  // s'Bs = |C's|^2
    q.noalias() = C_ * row;
    q = y + c * q;
    C_.noalias() -= q * (c / sy * row).transpose();
    row.noalias() = S_.transpose() * q;
    S_.noalias() -= s * (row / sy).transpose();
    *log_det_ -= 2.0 * std::log(c);
  }

 private:
  MatrixMap H_;
  MatrixMap S_;
  MatrixMap C_;
  double* log_det_;
};

}  // namespace
}  // namespace mixwell::quasi_newton

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::quasi_newton::RecursiveQuasiNewton<mixwell::quasi_newton::DenseForm>>(
      {.id = "bfgs",
       .summary = "BFGS with dense matrices H, S and C, where H = S S' and H^-1 = C C'",
       .details =
           "For neighbouring positions theta and theta+ in the memory, a pair is s = theta+ - "
           "theta and y = grad U(theta+) - grad U(theta). Mixwell sorts the memory by descending U "
           "unless sort = false. If a pair fails the test s'y > curvature_test |s||y|, Mixwell "
           "drops theta+ and tries the next position. Mixwell starts from H = gamma I. For each "
           "pair, it replaces H by (I - s y'/s'y) H (I - y s'/s'y) + s s'/s'y. Estimator "
           "`product-form` writes S and C as products of factors. Estimator `bfgs` multiplies the "
           "factors and stores S and C as matrices. Computing H, S and C from K pairs costs O(K "
           "d^2). Each of the products H v, S z, S'v and C z costs d^2 multiplications, and B v = "
           "C(C'v) costs 2 d^2. Each replicate stores 3 d^2 + 1 numbers. The limited-memory "
           "estimators are cheaper if K < d / 4. Compositor `ensemble-chain` with memory = "
           "\"published\" does not compute the matrices again for each sweep, but keeps them and "
           "updates them. H then starts as gamma I (as I if gamma is not set). Each step of an "
           "accepted trajectory gives one pair, in the order of the chain. Each pair costs 11 d^2 "
           "multiplications.",
       .sources = {"Nocedal & Wright 2006, Numerical Optimization, equation 6.17",
                   "Zhang & Sutton 2011, Quasi-Newton methods for Markov chain Monte Carlo, "
                   "section 3. Equation 7 as printed has its factors in the wrong order and lacks "
                   "1/s'y, so H y is not s"}});
}
