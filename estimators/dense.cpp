// Estimator `dense`: H = cov theta, the covariance of the warmup draws.
// SPDX-License-Identifier: Apache-2.0
#include "covariance/dense.hpp"

#include "covariance/learnt.hpp"

#include <mixwell/plugin.hpp>

namespace {

using namespace mixwell;

/// Layout of a history for dimension d: the numbers of the preconditioner, then the mean (d) and
/// sums of squares (d x d, lower triangle) of the window, and its count.
struct Layout : covariance::DenseNumbers {
  using DenseNumbers::DenseNumbers;
  Index mean() const { return DenseNumbers::rows(); }
  Index squares() const { return mean() + d; }
  Index count() const { return squares() + d * d; }
  Index rows() const { return count() + 1; }
};

class Dense final : public covariance::LearntEstimator {
 public:
  explicit Dense(const Params& params)
      : LearntEstimator(params, std::make_shared<covariance::DenseRepresentation>()) {}

  Eigen::VectorXd initial(Index dimension) const override {
    const Layout at(dimension);
    Eigen::VectorXd state = Eigen::VectorXd::Zero(at.rows());
    MatrixMap(state.data() + at.covariance(), at.d, at.d).setIdentity();
    MatrixMap(state.data() + at.factor(), at.d, at.d).setIdentity();
    return state;
  }

  std::vector<Index> shape(Index dimension) const override { return {dimension, dimension}; }

  /// O(d^2) for each position.
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

  /// O(d^3). If rounding makes the estimate indefinite, the preconditioner keeps its old value.
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
    if (!covariance::cholesky(estimate, factor)) return;
    MatrixMap(column + at.covariance(), at.d, at.d) = estimate;
    MatrixMap(column + at.factor(), at.d, at.d) = factor;
  }
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Dense>(
      {.id = "dense",
       .summary = "H = covariance of the draws, estimated in warmup and then frozen",
       .details = "Mixwell estimates H with Welford's running covariance over windows of warmup. "
                  "The first 75 sweeps adapt only the step size. Then the windows double in length "
                  "(25, 50, 100, ...), and the last 50 sweeps again adapt only the step size. Each "
                  "window uses only its own draws. The estimate V from the n draws of a window is "
                  "shrunk to n/(n+5) V + 0.001 5/(n+5) I. H = I until the end of the first window. "
                  "With coupling = \"mass\", M = H^-1 is what Stan calls a dense metric. A product "
                  "H v costs O(d^2), and the end of a window costs O(d^3). Each replicate stores 3 "
                  "d^2 numbers. If pool = true, all replicates share these numbers.",
       .sources = {"Carpenter et al. 2017, Stan: A probabilistic programming language",
                   "Welford 1962, Technometrics 4"}});
}
