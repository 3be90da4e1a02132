// Predictions of the labels of test cases, from label probabilities averaged over draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

#include <utility>
#include <vector>

namespace mixwell {

/// `Likelihood` has `probabilities(const double* theta, MatrixMap out, Workspace& scratch)`. This
/// function writes the probability of label c in case n at the position theta to out(c, n).
template <class Likelihood>
class LabelPredictions final : public Prediction {
 public:
  /// `right` contains the true label of each case, one of 0, ..., labels - 1.
  LabelPredictions(Index labels, std::vector<Index> right, Likelihood likelihood)
      : labels_(labels), right_(std::move(right)), likelihood_(std::move(likelihood)) {}

  Index cases() const override { return std::ssize(right_); }
  Index predicted() const override { return labels_ * cases(); }
  void predict(ConstBatch theta, Batch out) const override {
    Workspace scratch;
    for (Index r = 0; r < theta.cols(); ++r)
      likelihood_.probabilities(theta.col(r).data(), MatrixMap(out.col(r).data(), labels_, cases()),
                                scratch);
  }
  /// The fraction of cases in which the most probable label is not the true one.
  double error(const Eigen::VectorXd& averages) const override {
    const ConstMatrixMap probability(averages.data(), labels_, cases());
    Index wrong = 0;
    for (Index n = 0; n < cases(); ++n) {
      Index likeliest = 0;
      probability.col(n).maxCoeff(&likeliest);
      wrong += likeliest != right_[static_cast<std::size_t>(n)];
    }
    return static_cast<double>(wrong) / static_cast<double>(cases());
  }

 private:
  Index labels_;
  std::vector<Index> right_;
  Likelihood likelihood_;
};

}  // namespace mixwell
