// Estimator `diagonal`: H = diag(var theta), the variances of the warmup draws.
// SPDX-License-Identifier: Apache-2.0
#include "covariance/diagonal.hpp"

#include "covariance/learnt.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Layout of a history for dimension d: the numbers of the preconditioner, then the mean (d) and
/// sum of squares (d) of the window, and its count.
struct Layout : covariance::DiagonalNumbers {
  using DiagonalNumbers::DiagonalNumbers;
  Index mean() const { return DiagonalNumbers::rows(); }
  Index squares() const { return mean() + d; }
  Index count() const { return squares() + d; }
  Index rows() const { return count() + 1; }
};

class Diagonal final : public covariance::LearntEstimator {
 public:
  explicit Diagonal(const Params& params)
      : LearntEstimator(params, std::make_shared<covariance::DiagonalRepresentation>()) {}

  Eigen::VectorXd initial(Index dimension) const override {
    const Layout at(dimension);
    Eigen::VectorXd state = Eigen::VectorXd::Zero(at.rows());
    state.head(at.mean()).setOnes();
    return state;
  }

  std::vector<Index> shape(Index dimension) const override { return {dimension}; }

  /// O(d) for each position.
  void observe(Batch state, ConstBatch theta) const override {
    const Layout at(theta.rows());
    covariance::each_position(state, theta, [&](Index j, Index k) {
      auto column = state.col(j);
      const double n = column(at.count()) += 1.0;
      double* mean = column.data() + at.mean();
      double* squares = column.data() + at.squares();
      for (Index i = 0; i < at.d; ++i) {
        const double delta = theta(i, k) - mean[i];
        mean[i] += delta / n;
        squares[i] += delta * (theta(i, k) - mean[i]);
      }
    });
  }

  void close_window(Batch state, Index dimension, Workspace&) const override {
    const Layout at(dimension);
    for (Index j = 0; j < state.cols(); ++j) {
      auto column = state.col(j);
      const double n = column(at.count());
      if (n < 2.0) continue;
      const covariance::Shrinkage shrinkage(n);
      for (Index i = 0; i < at.d; ++i) {
        const double variance =
            shrinkage.keep * column(at.squares() + i) / (n - 1.0) + shrinkage.add;
        column(at.variance() + i) = variance;
        column(at.deviation() + i) = std::sqrt(variance);
      }
      column.segment(at.mean(), at.rows() - at.mean()).setZero();
    }
  }

 private:
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<Diagonal>(
      {.id = "diagonal",
       .summary = "H = diag(variances of the draws), estimated in warmup and then frozen",
       .details =
           "Mixwell estimates H with Welford's running variances over windows of warmup. The first "
           "75 sweeps adapt only the step size. Then the windows double in length (25, 50, 100, "
           "...), and the last 50 sweeps again adapt only the step size. Each window uses only its "
           "own draws. The estimate v from the n draws of a window is shrunk to n/(n+5) v + 0.001 "
           "5/(n+5). H = I until the end of the first window. With coupling = \"mass\", M = H^-1 "
           "is what Stan calls a diagonal metric. A product H v costs O(d).",
       .sources = {"Carpenter et al. 2017, Stan: A probabilistic programming language",
                   "Welford 1962, Technometrics 4"}});
}
