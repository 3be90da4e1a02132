// A network with one hidden layer: probabilities of the classes, potential and gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cases.hpp"
#include "shape.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell::network {

/// P(class c | x) = softmax_c(A' s(B'x + b) + a), s(z) = 1 / (1 + exp(-z)). Each function takes one
/// position. Cases are processed in panels, so that all work is products of matrices.
class Likelihood {
 public:
  /// Number of cases in a panel.
  static constexpr Index panel = 256;

  Likelihood(Shape shape, Cases cases) : shape_(shape), cases_(std::move(cases)) {}

  const Cases& cases() const noexcept { return cases_; }

  /// -sum_n log P(class of n | x_n) over all cases. Costs 2 N H (d + C) operations.
  double potential(const double* theta, Workspace& scratch) const {
    double u = 0.0;
    for_all([&](Index first, Index width) {
      const Workspace::Frame frame(scratch);
      const Layers layers(*this, theta, cases_.inputs.middleCols(first, width), scratch);
      for (Index k = 0; k < width; ++k) u -= layers.log_probability(class_of(first + k), k);
    });
    return u;
  }

  /// Like potential(), but also adds the gradient to g. Costs at most 6 N H (d + C) operations.
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

  /// Like add(), but only for the cases with these numbers (b whole numbers, as doubles). Copies
  /// the inputs into panels. g may be null.
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

  Index class_of(Index n) const { return cases_.classes[static_cast<std::size_t>(n)]; }

  /// Calls body(first, width) for every panel.
  template <class Body>
  void for_all(const Body& body) const {
    for (Index first = 0; first < cases_.size(); first += panel)
      body(first, std::min(panel, cases_.size() - first));
  }

  /// s(B'x + b), H x w, for the inputs of a panel (d x w).
  static void activate(const Weights<ConstMatrixMap>& weights, ConstBatch inputs,
                       MatrixMap active) {
    active.noalias() = weights.hidden * inputs;
    active.colwise() += weights.hidden_bias.col(0);
    active = (1.0 + (-active.array()).exp()).inverse().matrix();
  }

  /// log softmax(A's + a), C x w, for the active units (H x w).
  static void classify(const ConstMatrixMap& output, const ConstMatrixMap& bias,
                       const ConstMatrixMap& active, MatrixMap out) {
    out.noalias() = output * active;
    out.colwise() += bias.col(0);
    for (Index k = 0; k < active.cols(); ++k) {
      auto one = out.col(k).array();
      one -= one.maxCoeff();
      one -= std::log(one.exp().sum());
    }
  }

  /// Returns the potential of a panel from its log probabilities, and adds the gradient of A and a.
  /// Replaces the log probabilities by P(class) - [class is the label].
  template <class Classes>
  static double add_output_gradient(const Classes& classes, const ConstMatrixMap& active,
                                    MatrixMap off, MatrixMap output, MatrixMap bias) {
    double u = 0.0;
    for (Index k = 0; k < active.cols(); ++k) u -= off(classes(k), k);
    off = off.array().exp().matrix();
    for (Index k = 0; k < active.cols(); ++k) off(classes(k), k) -= 1.0;
    output.noalias() += off * active.transpose();
    bias += off.rowwise().sum();
    return u;
  }

 private:
  /// The layers of the network for one panel of cases.
  struct Layers {
    MatrixMap active;             ///< s(B'x + b), H x w
    MatrixMap log_probabilities;  ///< C x w
    const Shape& shape;

    Layers(const Likelihood& of, const double* theta, ConstBatch inputs, Workspace& scratch)
        : active(scratch.matrix(of.shape_.hidden, inputs.cols())),
          log_probabilities(scratch.matrix(of.shape_.classes, inputs.cols())),
          shape(of.shape_) {
      const Weights<ConstMatrixMap> weights(shape, theta);
      activate(weights, inputs, active);
      classify(weights.output, weights.output_bias, units(), log_probabilities);
    }

    ConstMatrixMap units() const { return {active.data(), active.rows(), active.cols()}; }

    double log_probability(Index label, Index k) const { return log_probabilities(label, k); }

    /// Returns the potential of the panel and adds its gradient to g. Overwrites both layers.
    template <class Classes>
    double add_gradient(const Classes& classes, ConstBatch inputs, const double* theta, double* g,
                        Workspace& scratch) {
      const Weights<ConstMatrixMap> weights(shape, theta);
      Weights<MatrixMap> to(shape, g);
      const MatrixMap& off = log_probabilities;
      const double u = add_output_gradient(classes, units(), off, to.output, to.output_bias);
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
