// The likelihood of the tags given the tokens' features: potential, gradient, probabilities.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features.hpp"
#include "panel.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace mixwell::crf {

/// P(tags | sentence) = exp(score) / Z. Each function takes one position. Sentences are processed
/// in panels of similar lengths.
class Likelihood {
 public:
  Likelihood(Shape shape, Sentences sentences)
      : shape_(shape),
        sentences_(std::move(sentences)),
        order_(static_cast<std::size_t>(sentences_.size())) {
    std::iota(order_.begin(), order_.end(), Index{0});
    sort(order_.data(), std::ssize(order_));
  }

  const Sentences& sentences() const noexcept { return sentences_; }

  /// Sum of log Z - score over all sentences. Costs L^2 exponentials for each token.
  double potential(const double* theta, Workspace& scratch) const {
    return add_panels(order_.data(), sentences_.size(), theta, nullptr, scratch);
  }
  /// Like potential(), but also adds the gradient to g: expected minus observed features and
  /// transitions.
  double add(const double* theta, double* g, Workspace& scratch) const {
    return add_panels(order_.data(), sentences_.size(), theta, g, scratch);
  }
  /// Like add(), but only for the sentences with these numbers (b whole numbers, as doubles). g may
  /// be null.
  double add_some(const double* theta, const double* numbers, Index b, double* g,
                  Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    Index* const members = scratch.objects<Index>(b);
    for (Index k = 0; k < b; ++k) members[k] = static_cast<Index>(numbers[k]);
    sort(members, b);
    return add_panels(members, b, theta, g, scratch);
  }

  /// P(tag) of each token, L x N.
  void probabilities(const double* theta, MatrixMap out, Workspace& scratch) const {
    for_panels(order_.data(), sentences_.size(), [&](const Index* members, Index count) {
      const Workspace::Frame frame(scratch);
      const Panel panel(shape_, sentences_, members, count, theta, true, scratch);
      panel.smooth([&](Index token, const auto& p) { out.col(token) = p.transpose(); },
                   [](Index, Index, double) {});
    });
  }

  /// A copy of the sentences with tags drawn at theta. Token n uses uniform number n.
  Sentences drawn(const double* theta, const Eigen::VectorXd& uniforms) const {
    Sentences out = sentences_;
    Workspace scratch;
    for_panels(order_.data(), sentences_.size(), [&](const Index* members, Index count) {
      const Workspace::Frame frame(scratch);
      const Panel panel(shape_, sentences_, members, count, theta, true, scratch);
      for (Index p = 0; p < count; ++p) panel.draw(p, uniforms, out.tags);
    });
    return out;
  }

 private:
  /// Sorts by decreasing length, and equal lengths by number.
  void sort(Index* members, Index count) const {
    std::sort(members, members + count, [this](Index a, Index b) {
      const Index one = sentences_.length(a);
      const Index other = sentences_.length(b);
      return one != other ? one > other : a < b;
    });
  }

  template <class Body>
  static void for_panels(const Index* members, Index count, const Body& body) {
    for (Index first = 0; first < count; first += Panel::most)
      body(members + first, std::min(Panel::most, count - first));
  }

  double add_panels(const Index* members, Index count, const double* theta, double* g,
                    Workspace& scratch) const {
    double u = 0.0;
    for_panels(members, count, [&](const Index* some, Index size) {
      const Workspace::Frame frame(scratch);
      const Panel panel(shape_, sentences_, some, size, theta, g != nullptr, scratch);
      u += panel.potential();
      if (g != nullptr) add_gradient(panel, some, size, g);
    });
    return u;
  }

  void add_gradient(const Panel& panel, const Index* members, Index count, double* g) const {
    Weights<MatrixMap> to(shape_, g);
    panel.smooth(
        [&](Index token, const auto& p) {
          each_feature(token, [&](Index f) { to.emission.col(f) += p.transpose(); });
        },
        [&](Index j, Index i, double expected) { to.transition(j, i) += expected; });
    for (Index p = 0; p < count; ++p) subtract_seen(members[p], to);
  }

  void subtract_seen(Index sentence, Weights<MatrixMap>& to) const {
    Index before = -1;
    for (Index t = 0; t < sentences_.length(sentence); ++t) {
      const Index token = sentences_.token(sentence, t);
      const Index tag = sentences_.tag(token);
      each_feature(token, [&](Index f) { to.emission(tag, f) -= 1.0; });
      if (before >= 0) to.transition(tag, before) -= 1.0;
      before = tag;
    }
  }

  template <class Body>
  void each_feature(Index token, const Body& body) const {
    const auto n = static_cast<std::size_t>(token);
    for (Index k = sentences_.first_feature[n]; k < sentences_.first_feature[n + 1]; ++k)
      body(sentences_.features[static_cast<std::size_t>(k)]);
  }

  Shape shape_;
  Sentences sentences_;
  std::vector<Index> order_;
};

}  // namespace mixwell::crf
