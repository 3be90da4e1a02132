// Curvature from the covariance of the draws of warm-up: H = cov theta.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/plugin.hpp>

#include "covariance/learnt.hpp"
#include "covariance/welford.hpp"

#include <Eigen/Cholesky>

namespace {

using namespace mixwell;

/// Blocks of a register for dimension d: H (d x d, whole) and its Cholesky factor S (d x d, lower),
/// which are the numbers of the curvature; mean (d) and sums of squares (d x d, lower) of the
/// window, and its count.
struct Layout {
  explicit Layout(Index dimension) : d(dimension) {}
  Index d;
  Index covariance() const { return 0; }
  Index factor() const { return d * d; }
  Index mean() const { return 2 * d * d; }
  Index squares() const { return 2 * d * d + d; }
  Index count() const { return 3 * d * d + d; }
  Index rows() const { return 3 * d * d + d + 1; }
};

/// O(d^2) a product and column; columns that share their numbers are multiplied together.
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
      const auto s = block(numbers, Layout(dimension).factor(), dimension, j);
      out(j) = 2.0 * s.diagonal().array().log().sum();
    }
  }

 private:
  static ConstMatrixMap block(const Numbers& numbers, Index first, Index d, Index j) {
    return {numbers.column(j) + first, d, d};
  }

  /// Calls apply(H, S, x, y): once for all columns if they share the numbers, else for each.
  template <class Apply>
  static void each(const Numbers& numbers, ConstBatch v, Batch out, const Apply& apply) {
    const Layout at(v.rows());
    if (numbers.shared()) {
      apply(block(numbers, at.covariance(), at.d, 0), block(numbers, at.factor(), at.d, 0), v,
            out.leftCols(v.cols()));
      return;
    }
    for (Index j = 0; j < v.cols(); ++j) {
      apply(block(numbers, at.covariance(), at.d, j), block(numbers, at.factor(), at.d, j),
            v.col(j), out.col(j));
    }
  }
};

class Dense final : public covariance::LearntEstimator {
 public:
  explicit Dense(const Params& params)
      : LearntEstimator(params, std::make_shared<DenseRepresentation>()) {}

  Eigen::VectorXd initial(Index dimension) const override {
    const Layout at(dimension);
    Eigen::VectorXd state = Eigen::VectorXd::Zero(at.rows());
    MatrixMap(state.data() + at.covariance(), at.d, at.d).setIdentity();
    MatrixMap(state.data() + at.factor(), at.d, at.d).setIdentity();
    return state;
  }

  std::vector<Index> shape(Index dimension) const override { return {dimension, dimension}; }

  /// O(d^2) a position.
  void observe(Batch state, ConstBatch theta) const override {
    const Layout at(theta.rows());
    covariance::each_position(state, theta, [&](Index j, Index k) {
      auto column = state.col(j);
      const double n = column(at.count()) += 1.0;
      auto mean = column.segment(at.mean(), at.d);
      MatrixMap squares(column.data() + at.squares(), at.d, at.d);
      const double share = 1.0 / n;
      // delta (x - new mean)' = (1 - 1/n) delta delta', with delta = x - old mean.
      for (Index c = 0; c < at.d; ++c) {
        const double weight = (1.0 - share) * (theta(c, k) - mean(c));
        squares.col(c).tail(at.d - c) +=
            weight * (theta.col(k).tail(at.d - c) - mean.tail(at.d - c));
      }
      mean += share * (theta.col(k) - mean);
    });
  }

  /// O(d^3). Where rounding leaves the estimate indefinite, the curvature stays as it was.
  void close_window(Batch state, Index dimension, Workspace& scratch) const override {
    const Layout at(dimension);
    for (Index j = 0; j < state.cols(); ++j) {
      auto column = state.col(j);
      const double n = column(at.count());
      if (n < 2.0) continue;
      adopt(column.data(), at, n, scratch);
      column.segment(at.mean(), at.rows() - at.mean()).setZero();
    }
  }

 private:
  static void adopt(double* column, const Layout& at, double n, Workspace& scratch) {
    const Workspace::Frame frame(scratch);
    const covariance::Shrinkage shrinkage(n);
    MatrixMap estimate = scratch.matrix(at.d, at.d);
    MatrixMap squares(column + at.squares(), at.d, at.d);
    squares.triangularView<Eigen::StrictlyUpper>() = squares.transpose();
    estimate = squares * (shrinkage.keep / (n - 1.0));
    estimate.diagonal().array() += shrinkage.add;
    MatrixMap factor = scratch.matrix(at.d, at.d);
    factor = estimate;
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> cholesky(factor);
    if (cholesky.info() != Eigen::Success) return;
    factor.triangularView<Eigen::StrictlyUpper>().setZero();
    MatrixMap(column + at.covariance(), at.d, at.d) = estimate;
    MatrixMap(column + at.factor(), at.d, at.d) = factor;
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Dense>(
      {.id = "dense",
       .summary = "H = covariance of the draws, learnt in warm-up and then frozen",
       .details =
           "Welford's running covariance over windows of warm-up that double in length (75 sweeps "
           "for the step size alone, then 25, 50, 100, ..., the last 50 again for the step size); "
           "each window starts afresh. An estimate V from n draws becomes n/(n+5) V + 0.001 "
           "5/(n+5) I. H = I until the first window closes. With coupling mass, M = H^-1 is what "
           "Stan calls a dense metric. O(d^2) a product, O(d^3) a window, 3 d^2 numbers a "
           "replicate (with pool = true: in all).",
       .sources = {"Carpenter et al. 2017, Stan: A probabilistic programming language",
                   "Welford 1962, Technometrics 4"}});
}
