// The conditional potential of output weights and output biases, with the hidden units cached.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "likelihood.hpp"
#include "precision_prior.hpp"
#include "shape.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <vector>

namespace mixwell::network {

/// U as a function of some elements of A and a. The cache of a column has s(B'x + b) of every case
/// (H x N), A and a without the elements of the block, the logarithms of their two precisions, and
/// the prior's part for B, b and their precisions.
class OutputBlock final : public ConditionalPotential {
 public:
  /// Largest useful size of a cache, in numbers: 32 MiB.
  static constexpr Index largest_cache = Index{1} << 22;

  static bool suits(const Shape& shape, Index cases, const std::vector<Index>& coordinates) {
    const auto is_own = [&](Index c) {
      return c >= shape.first(output_weights) && c < shape.first(groups);
    };
    return shape.hidden * cases <= largest_cache &&
           std::all_of(coordinates.begin(), coordinates.end(), is_own);
  }

  /// `prior` and `likelihood` must outlive this object.
  OutputBlock(const Shape& shape, const PrecisionPrior& prior, const Likelihood& likelihood,
              std::vector<Index> coordinates)
      : shape_(shape), prior_(prior), likelihood_(likelihood), own_(std::move(coordinates)) {
    for (Index& c : own_) c -= shape.first(output_weights);
  }

  Index cache_rows() const noexcept override { return units() + output_size() + 3; }

  /// Costs 2 N H d operations for each column.
  void prepare(ConstBatch theta, Batch caches, Workspace&) const override {
    for (Index r = 0; r < theta.cols(); ++r) {
      const double* const x = theta.col(r).data();
      double* const cache = caches.col(r).data();
      const Weights<ConstMatrixMap> weights(shape_, x);
      likelihood_.for_all([&](Index first, Index width) {
        Likelihood::activate(weights, likelihood_.cases().inputs.middleCols(first, width),
                             {cache + first * shape_.hidden, shape_.hidden, width});
      });
      double* const output = cache + units();
      std::copy_n(x + shape_.first(output_weights), output_size(), output);
      for (const Index c : own_) output[c] = 0.0;
      double* const rest = output + output_size();
      rest[0] = x[shape_.precision(output_weights)];
      rest[1] = x[shape_.precision(output_bias)];
      rest[2] = prior_of(x, hidden_weights) + prior_of(x, hidden_bias);
    }
  }

  /// Costs 4 N H C operations for each column, or half as many for U without its gradient.
  void evaluate(const ConditionalCaches& caches, ConstBatch x,
                const Evaluation& out) const override {
    Batch gradient = out.gradient;
    for (Index r = 0; r < x.cols(); ++r) {
      const Workspace::Frame frame(out.scratch);
      MatrixMap output = out.scratch.matrix(output_size(), 1);
      MatrixMap g = out.scratch.matrix(output_size(), 1);
      const double* const cache = caches.column(r);
      output = ConstMatrixMap(cache + units(), output_size(), 1);
      for (std::size_t i = 0; i < own_.size(); ++i)
        output(own_[i], 0) = x(static_cast<Index>(i), r);
      const double u = out.wants_gradient() ? add(cache, output, g, out.scratch)
                                            : potential(cache, output, out.scratch);
      if (out.wants_potential()) out.u()(r) = u;
      for (std::size_t i = 0; i < own_.size() && out.wants_gradient(); ++i)
        gradient(static_cast<Index>(i), r) = g(own_[i], 0);
    }
  }

 private:
  /// A (C x H) and a (C x 1), stored one after the other.
  template <class Matrix, class Number>
  struct Parts {
    Parts(const Shape& shape, Number* at)
        : weights(at, shape.classes, shape.hidden),
          bias(at + shape.size(output_weights), shape.classes, 1) {}
    Matrix weights;
    Matrix bias;
  };

  Index units() const noexcept { return shape_.hidden * likelihood_.cases().size(); }
  Index output_size() const noexcept {
    return shape_.size(output_weights) + shape_.size(output_bias);
  }

  double prior_of(const double* x, std::size_t group) const {
    return prior_.potential(ConstMatrixMap(x + shape_.first(group), 1, shape_.size(group)),
                            x + shape_.precision(group));
  }

  double potential(const double* cache, const MatrixMap& output, Workspace& scratch) const {
    const Parts<ConstMatrixMap, const double> at(shape_, output.data());
    const double* const rest = cache + units() + output_size();
    double u = rest[2] + prior_.potential(at.weights, rest) + prior_.potential(at.bias, rest + 1);
    likelihood_.for_all([&](Index first, Index width) {
      const Workspace::Frame frame(scratch);
      MatrixMap log_probabilities = scratch.matrix(shape_.classes, width);
      Likelihood::classify(at.weights, at.bias, active(cache, first, width), log_probabilities);
      for (Index k = 0; k < width; ++k) u -= log_probabilities(likelihood_.class_of(first + k), k);
    });
    return u;
  }

  /// Like potential(), but also writes the gradient of all of A and a to g.
  double add(const double* cache, const MatrixMap& output, MatrixMap g, Workspace& scratch) const {
    const Parts<ConstMatrixMap, const double> at(shape_, output.data());
    const Parts<MatrixMap, double> to(shape_, g.data());
    const double* const rest = cache + units() + output_size();
    double u = rest[2];
    double precisions[2] = {0.0, 0.0};
    g.setZero();
    prior_.add(at.weights, rest, u, to.weights, precisions);
    prior_.add(at.bias, rest + 1, u, to.bias, precisions + 1);
    likelihood_.for_all([&](Index first, Index width) {
      const Workspace::Frame frame(scratch);
      MatrixMap log_probabilities = scratch.matrix(shape_.classes, width);
      const ConstMatrixMap s = active(cache, first, width);
      Likelihood::classify(at.weights, at.bias, s, log_probabilities);
      u += Likelihood::add_output_gradient([&](Index k) { return likelihood_.class_of(first + k); },
                                           s, log_probabilities, to.weights, to.bias);
    });
    return u;
  }

  ConstMatrixMap active(const double* cache, Index first, Index width) const {
    return {cache + first * shape_.hidden, shape_.hidden, width};
  }

  Shape shape_;
  const PrecisionPrior& prior_;
  const Likelihood& likelihood_;
  std::vector<Index> own_;  ///< indices in A and a, ascending
};

}  // namespace mixwell::network
