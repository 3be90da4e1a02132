// A network with one hidden layer: probabilities of classes, their potential and its gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cases.hpp"
#include "shape.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell::network {

/// P(class c | x) = softmax_c(A' s(B'x + b) + a), s(z) = 1 / (1 + exp(-z)). Functions take one
/// position; cases go through the network in panels, so that everything is a product of matrices.
class Likelihood {
 public:
  /// Cases in a panel.
  static constexpr Index panel = 256;

  Likelihood(Shape shape, Cases cases) : shape_(shape), cases_(std::move(cases)) {}

  const Cases& cases() const noexcept { return cases_; }

  /// -sum_n log P(class of n | x_n) over all cases. 2 N H (d + C) operations.
  double potential(const double* theta, Workspace& scratch) const {
    double u = 0.0;
    for_all([&](Index first, Index width) {
      const Workspace::Frame frame(scratch);
      const Layers layers(*this, theta, cases_.inputs.middleCols(first, width), scratch);
      for (Index k = 0; k < width; ++k) u -= layers.log_probability(class_of(first + k), k);
    });
    return u;
  }

  /// The same; adds the gradient to g. 6 N H (d + C) operations at most.
  double add(const double* theta, double* g, Workspace& scratch) const {
    double u = 0.0;
    for_all([&](Index first, Index width) {
      const Workspace::Frame frame(scratch);
      const auto inputs = cases_.inputs.middleCols(first, width);
      Layers layers(*this, theta, inputs, scratch);
      u += layers.add_gradient([&](Index k) { return class_of(first + k); }, inputs, theta, g,
                               scratch);
    });
    return u;
  }

  /// Of the cases with these numbers (b whole numbers, as doubles). Inputs are copied into panels.
  double add_some(const double* theta, const double* indices, Index b, double* g,
                  Workspace& scratch) const {
    double u = 0.0;
    for (Index first = 0; first < b; first += panel) {
      const Workspace::Frame frame(scratch);
      const Index width = std::min(panel, b - first);
      MatrixMap inputs = scratch.matrix(shape_.inputs, width);
      const auto index = [&](Index k) { return static_cast<Index>(indices[first + k]); };
      for (Index k = 0; k < width; ++k) inputs.col(k) = cases_.inputs.col(index(k));
      Layers layers(*this, theta, inputs, scratch);
      const auto classes = [&](Index k) { return class_of(index(k)); };
      if (g != nullptr)
        u += layers.add_gradient(classes, inputs, theta, g, scratch);
      else
        for (Index k = 0; k < width; ++k) u -= layers.log_probability(classes(k), k);
    }
    return u;
  }

  /// Probabilities of all classes, C x N, case by case.
  void probabilities(const double* theta, MatrixMap out, Workspace& scratch) const {
    for_all([&](Index first, Index width) {
      const Workspace::Frame frame(scratch);
      const Layers layers(*this, theta, cases_.inputs.middleCols(first, width), scratch);
      out.middleCols(first, width) = layers.log_probabilities.array().exp().matrix();
    });
  }

 private:
  Index class_of(Index n) const { return cases_.classes[static_cast<std::size_t>(n)]; }

  template <class Body>
  void for_all(const Body& body) const {
    for (Index first = 0; first < cases_.size(); first += panel)
      body(first, std::min(panel, cases_.size() - first));
  }

  /// A panel of cases on its way through the network.
  struct Layers {
    MatrixMap active;             ///< s(B'x + b), H x w
    MatrixMap log_probabilities;  ///< C x w
    const Shape& shape;

    Layers(const Likelihood& of, const double* theta, ConstBatch inputs, Workspace& scratch)
        : active(scratch.matrix(of.shape_.hidden, inputs.cols())),
          log_probabilities(scratch.matrix(of.shape_.classes, inputs.cols())),
          shape(of.shape_) {
      const Weights<ConstMatrixMap> weights(shape, theta);
      active.noalias() = weights.hidden * inputs;
      active.colwise() += weights.hidden_bias.col(0);
      active = (1.0 + (-active.array()).exp()).inverse().matrix();
      log_probabilities.noalias() = weights.output * active;
      log_probabilities.colwise() += weights.output_bias.col(0);
      for (Index k = 0; k < inputs.cols(); ++k) {
        auto one = log_probabilities.col(k).array();
        one -= one.maxCoeff();
        one -= std::log(one.exp().sum());
      }
    }

    double log_probability(Index label, Index k) const { return log_probabilities(label, k); }

    /// Returns the potential of the panel, and adds its gradient to g. Overwrites both layers.
    template <class Classes>
    double add_gradient(const Classes& classes, ConstBatch inputs, const double* theta, double* g,
                        Workspace& scratch) {
      const Weights<ConstMatrixMap> weights(shape, theta);
      Weights<MatrixMap> to(shape, g);
      double u = 0.0;
      for (Index k = 0; k < inputs.cols(); ++k) u -= log_probability(classes(k), k);
      MatrixMap& off = log_probabilities;  // from here: P(class) - [class is the label's]
      off = off.array().exp().matrix();
      for (Index k = 0; k < inputs.cols(); ++k) off(classes(k), k) -= 1.0;
      to.output.noalias() += off * active.transpose();
      to.output_bias += off.rowwise().sum();
      MatrixMap back = scratch.matrix(shape.hidden, inputs.cols());
      back.noalias() = weights.output.transpose() * off;
      back.array() *= active.array() * (1.0 - active.array());
      to.hidden.noalias() += back * inputs.transpose();
      to.hidden_bias += back.rowwise().sum();
      return u;
    }
  };

  Shape shape_;
  Cases cases_;
};

}  // namespace mixwell::network
