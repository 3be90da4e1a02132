// Processes several sentences together (a panel), one token position at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace mixwell::crf {

/// Coordinates: one weight for each feature and tag, then one for each tag and next tag.
struct Shape {
  Index features = 1;  ///< F
  Index tags = 1;      ///< L

  Index first_transition() const noexcept { return features * tags; }
  Index dimension() const noexcept { return (features + tags) * tags; }
};

/// The weights of one position as matrices.
template <class Matrix>
struct Weights {
  Matrix emission;    ///< L x F
  Matrix transition;  ///< (j, i): weight of tag j after tag i

  template <class Number>
  Weights(const Shape& shape, Number* theta)
      : emission(theta, shape.tags, shape.features),
        transition(theta + shape.first_transition(), shape.tags, shape.tags) {}
};

/// P sentences, the longest first. e_t(j) is the score of tag j at token t, the sum of its
/// features' weights, and w(i, j) is the weight of a transition from i to j. The forward pass uses
/// logarithms,
///   a_0 = e_0,  a_t(j) = e_t(j) + log sum_i exp(a_(t-1)(i) + w(i, j)),
///   log Z = log sum_j exp a_T(j).
/// The backward pass uses probabilities, which stay in [0, 1] (Rabiner 1989, in another form),
///   P(i at t-1, j at t) = P(j at t) exp(a_(t-1)(i) + w(i, j))
///                         / sum_i' exp(a_(t-1)(i') + w(i', j)).
/// Every operation is on vectors over the sentences. The cost is L^2 exponentials for each token.
class Panel {
 public:
  /// Largest number of sentences in a panel.
  static constexpr Index most = 32;

  /// `members` has the numbers of at most `most` sentences, sorted by decreasing length. The
  /// constructor runs the forward pass. With `smooths` it keeps what the backward pass needs: L^2
  /// numbers for each token.
  Panel(const Shape& shape, const Sentences& sentences, const Index* members, Index count,
        const double* theta, bool smooths, Workspace& scratch)
      : shape_(shape),
        sentences_(sentences),
        members_(members),
        count_(count),
        length_(sentences.length(members[0])),
        weights_(shape, theta),
        forward_(scratch.matrix(count, shape.tags * length_).data()),
        back_(scratch.matrix(count, shape.tags * shape.tags * (smooths ? length_ : 1)).data()),
        keeps_(smooths),
        scratch_(scratch) {
    for (Index t = 0; t < length_; ++t) step(t);
  }

  /// Sum over sentences of log Z minus the score of the tags of the sentence.
  double potential() const {
    double u = 0.0;
    for (Index p = 0; p < count_; ++p) {
      const Index last = sentences_.length(members_[p]) - 1;
      u += log_sum(forward(last).row(p)) - score(p);
    }
    return u;
  }

  /// Calls token(n, P(tag of n)) for every token n, with row vectors of length L, and transition(j,
  /// i, sum of P(i before j)) for each pair of tags, one token position after another.
  template <class OnToken, class OnTransition>
  void smooth(const OnToken& token, const OnTransition& transition) const {
    const Workspace::Frame frame(scratch_);
    MatrixMap buffers[] = {scratch_.matrix(count_, shape_.tags),
                           scratch_.matrix(count_, shape_.tags)};
    for (Index t = length_ - 1; t >= 0; --t) {
      MatrixMap& here = buffers[t % 2];
      const Index going_on = active(t + 1);
      for (Index p = going_on; p < active(t); ++p) {
        const double log_z = log_sum(forward(t).row(p));
        here.row(p) = (forward(t).row(p).array() - log_z).exp();
      }
      for (Index p = 0; p < active(t); ++p) token(sentences_.token(members_[p], t), here.row(p));
      if (t > 0) step_back(t, here, buffers[(t + 1) % 2], transition);
    }
  }

  /// Draws the tags of member p, from the last token to the first, and writes them to `out`. Token
  /// n uses uniform number n.
  void draw(Index p, const Eigen::VectorXd& uniforms, std::vector<Index>& out) const {
    Index tag = -1;
    for (Index t = sentences_.length(members_[p]) - 1; t >= 0; --t) {
      const Index token = sentences_.token(members_[p], t);
      const double log_z = tag < 0 ? log_sum(forward(t).row(p)) : 0.0;
      const auto probability = [&](Index i) {
        return tag < 0 ? std::exp(forward(t)(p, i) - log_z) : back(t + 1)(p, tag * shape_.tags + i);
      };
      Index chosen = 0;
      for (double below = probability(0); below < uniforms[token] && chosen + 1 < shape_.tags;)
        below += probability(++chosen);
      tag = chosen;
      out[static_cast<std::size_t>(token)] = tag;
    }
  }

 private:
  /// Number of sentences that have a token t.
  Index active(Index t) const {
    Index n = count_;
    while (n > 0 && sentences_.length(members_[n - 1]) <= t) --n;
    return n;
  }
  /// a_t, P x L.
  ConstMatrixMap forward(Index t) const { return {forward_place(t), count_, shape_.tags}; }
  MatrixMap forward(Index t) { return {forward_place(t), count_, shape_.tags}; }
  /// For the step to token t: P(i before | j) in column j L + i.
  ConstMatrixMap back(Index t) const { return {back_place(t), count_, shape_.tags * shape_.tags}; }
  MatrixMap back(Index t) { return {back_place(t), count_, shape_.tags * shape_.tags}; }
  double* forward_place(Index t) const { return forward_ + t * count_ * shape_.tags; }
  double* back_place(Index t) const {
    return back_ + (keeps_ ? t : 0) * count_ * shape_.tags * shape_.tags;
  }

  template <class Vector>
  static double log_sum(const Vector& x) {
    const double top = x.maxCoeff();
    return top + std::log((x.array() - top).exp().sum());
  }

  void add_emissions(Index t, Index n) {
    MatrixMap a = forward(t);
    a.topRows(n).setZero();
    for (Index p = 0; p < n; ++p) {
      const auto token = static_cast<std::size_t>(sentences_.token(members_[p], t));
      for (Index k = sentences_.first_feature[token]; k < sentences_.first_feature[token + 1]; ++k)
        a.row(p) += weights_.emission.col(sentences_.features[static_cast<std::size_t>(k)]);
    }
  }

  void step(Index t) {
    const Index n = active(t);
    add_emissions(t, n);
    if (t == 0) return;
    const auto before = std::as_const(*this).forward(t - 1);
    MatrixMap a = forward(t);
    MatrixMap w = back(t);
    const Workspace::Frame frame(scratch_);
    MatrixMap numbers = scratch_.matrix(n, 2);
    auto top = numbers.col(0).array();
    auto sum = numbers.col(1).array();
    for (Index j = 0; j < shape_.tags; ++j) {
      const auto from = weights_.transition.row(j);
      top = before.col(0).head(n).array() + from(0);
      for (Index i = 1; i < shape_.tags; ++i)
        top = top.max(before.col(i).head(n).array() + from(i));
      sum.setZero();
      for (Index i = 0; i < shape_.tags; ++i) {
        auto one = w.col(j * shape_.tags + i).head(n).array();
        one = (before.col(i).head(n).array() + from(i) - top).exp();
        sum += one;
      }
      a.col(j).head(n).array() += top + sum.log();
      if (!keeps_) continue;
      for (Index i = 0; i < shape_.tags; ++i) w.col(j * shape_.tags + i).head(n).array() /= sum;
    }
  }

  /// Computes the probabilities at t - 1 from those at t, for the sentences that have a token t.
  template <class OnTransition>
  void step_back(Index t, const MatrixMap& here, MatrixMap& before,
                 const OnTransition& transition) const {
    const Index n = active(t);
    const ConstMatrixMap w = back(t);
    before.topRows(n).setZero();
    for (Index j = 0; j < shape_.tags; ++j) {
      for (Index i = 0; i < shape_.tags; ++i) {
        const auto pair = here.col(j).head(n).cwiseProduct(w.col(j * shape_.tags + i).head(n));
        before.col(i).head(n) += pair;
        transition(j, i, pair.sum());
      }
    }
  }

  /// The score of the tags of member p.
  double score(Index p) const {
    double sum = 0.0;
    Index before = -1;
    for (Index t = 0; t < sentences_.length(members_[p]); ++t) {
      const Index token = sentences_.token(members_[p], t);
      const auto n = static_cast<std::size_t>(token);
      const Index tag = sentences_.tag(token);
      for (Index k = sentences_.first_feature[n]; k < sentences_.first_feature[n + 1]; ++k)
        sum += weights_.emission(tag, sentences_.features[static_cast<std::size_t>(k)]);
      if (before >= 0) sum += weights_.transition(tag, before);
      before = tag;
    }
    return sum;
  }

  Shape shape_;
  const Sentences& sentences_;
  const Index* members_;
  Index count_;
  Index length_;
  Weights<ConstMatrixMap> weights_;
  double* forward_;
  double* back_;
  bool keeps_;
  Workspace& scratch_;
};

}  // namespace mixwell::crf
