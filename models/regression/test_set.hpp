// How well a regression predicts the labels of a test table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "labelled_design.hpp"

#include <mixwell/plugin.hpp>

#include <utility>

namespace mixwell::regression {

/// Replaces every z = x theta by the probability of the positive label.
using Probability = void (*)(Batch z);

/// The model's predictions for the rows of a test table.
class TestSet final : public Prediction {
 public:
  TestSet(Cases cases, Probability probability)
      : cases_(std::move(cases)), probability_(probability) {}

  Index cases() const override { return cases_.x.rows(); }
  void predict(ConstBatch theta, Batch out) const override {
    out.noalias() = cases_.x * theta;
    if (cases_.numbers.offset.size() > 0) out.colwise() += cases_.numbers.offset;
    probability_(out);
  }
  double error(const Eigen::VectorXd& probability) const override {
    Index wrong = 0;
    for (Index n = 0; n < cases(); ++n)
      wrong += (probability[n] > 0.5) != cases_.positive[static_cast<std::size_t>(n)];
    return static_cast<double>(wrong) / static_cast<double>(cases());
  }

 private:
  Cases cases_;
  Probability probability_;
};

}  // namespace mixwell::regression
