// Minibatch oracles: their keys, how they draw cases, and laws with minibatch noise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "oracle.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace mixwell::noise {

/// Draws n of the whole numbers below N.
class BatchDraw {
 public:
  BatchDraw(Index terms, Index size, bool replacement) noexcept
      : terms_(terms), size_(size), replacement_(replacement) {}

  Index size() const noexcept { return size_; }
  /// N / n: the sum over a batch times this factor estimates the sum over all cases.
  double scale() const noexcept { return static_cast<double>(terms_) / static_cast<double>(size_); }

  /// (N^2/n) f / (n - 1), with f = 1 with replacement and 1 - n/N without. For n >= 2, this factor
  /// times the sum of centred squares over a batch estimates the variance of scale() times the sum
  /// over the batch.
  double variance_factor() const noexcept {
    const auto n = static_cast<double>(size_);
    const double f = replacement_ ? 1.0 : 1.0 - 1.0 / scale();
    return scale() * scale() * n * f / (n - 1.0);
  }

  /// n / (N f): the ratio of N S to N^2/n f S. N^2/n f S is the variance of scale() times a sum
  /// over a batch. The ratio is 0 for a batch of all cases without replacement, because the sum
  /// over such a batch has no variance.
  double information_share() const noexcept {
    const double f = replacement_ ? 1.0 : 1.0 - 1.0 / scale();
    return f > 0.0 ? 1.0 / (scale() * f) : 0.0;
  }

  /// Writes the batch of one evaluation: size() x 1. O(n), and N / 64 words without replacement.
  void draw(const Stream& stream, std::uint32_t draw, Batch out, Workspace& scratch) const {
    stream.uniforms({0, draw, 0}, out);
    if (replacement_) {
      out = (out.array() * static_cast<double>(terms_)).floor();
    } else {
      choose_distinct(out, scratch);
    }
  }

 private:
  /// Floyd's algorithm: for k = N-n .. N-1 take a number below k + 1, or k itself if that number
  /// was already taken. Every subset is equally likely (Bentley & Floyd 1987).
  void choose_distinct(Batch out, Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    auto* taken = scratch.objects<std::uint64_t>(terms_ / 64 + 1);
    const auto take = [&](Index k) {
      const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(k % 64);
      const bool fresh = (taken[k / 64] & bit) == 0;
      taken[k / 64] |= bit;
      return fresh;
    };
    for (Index i = 0; i < size_; ++i) {
      const Index last = terms_ - size_ + i;
      const auto k = static_cast<Index>(out(i, 0) * static_cast<double>(last + 1));
      const bool fresh = take(k);
      if (!fresh) take(last);
      out(i, 0) = static_cast<double>(fresh ? k : last);
    }
  }

  Index terms_;
  Index size_;
  bool replacement_;
};

struct BatchParams {
  std::int64_t size = 100;
  bool replacement = false;
  bool shared = false;

  void declare(Fields& fields) {
    fields.integer("size", size).at_least(1).at_most(1e9).help("number n of cases in a batch");
    fields.flag("replacement", replacement)
        .help(
            "draw the cases of a batch with replacement (in both settings, each batch is a new "
            "draw)");
    declare_shared(fields, shared);
  }

  /// How batches of this law are drawn. Throws InputError if the law has no cases to draw; the
  /// message begins with `who`.
  BatchDraw of(const Potential* base, const std::string& who) const {
    const SumOfTerms* sum = base == nullptr ? nullptr : base->offers<SumOfTerms>();
    if (sum == nullptr) {
      throw InputError(
          who +
          ": the model does not offer its potential as a sum over cases, so there are no cases for "
          "a minibatch. Use a regression model, or use oracle `noisy` to simulate minibatches.");
    }
    if (!replacement && size > sum->terms()) {
      throw InputError(who + ": the oracle cannot draw size = " + std::to_string(size) +
                       " cases without replacement, because the data have only " +
                       std::to_string(sum->terms()) +
                       " cases. Use a smaller `size`, or set replacement = true.");
    }
    return {sum->terms(), size, replacement};
  }
};

/// A law whose gradient contains the term N/n sum of v_k. The v_k belong to a batch of n of N
/// cases; each column and draw has its own batch.
///
/// V = N^2/n f S, where S = sum (v_k - mean) (v_k - mean)' / (n - 1) is the empirical Fisher
/// information of the batch; f = 1 with replacement and 1 - n/N without. Then E V = Cov(N/n sum of
/// v_k) exactly, with or without replacement (Cochran 1977, Sampling Techniques, theorem 2.4).
class BatchPotential : public Potential, protected GradientNoise {
 public:
  BatchPotential(std::shared_ptr<const Potential> base, BatchDraw batch)
      : base_(std::move(base)), sum_(*base_->offers<SumOfTerms>()), batch_(batch) {}

  /// A batch of a single case gives no estimate of the noise.
  const GradientNoise* as_noise() const noexcept final {
    return batch_.size() < 2 ? nullptr : this;
  }

 protected:
  const SumOfTerms& sum() const noexcept { return sum_; }
  const BatchDraw& batch() const noexcept { return batch_; }

  /// n x w, valid until the caller's Frame ends. O(n) for each column, and N / 64 words without
  /// replacement.
  MatrixMap draw_indices(const Numbers& numbers, Index w, std::uint32_t draw,
                         Workspace& scratch) const {
    MatrixMap indices = scratch.matrix(batch_.size(), w);
    for (Index j = 0; j < w; ++j) {
      batch_.draw(stream_of(numbers, j), draw, indices.col(j), scratch);
    }
    return indices;
  }

  /// The v_k at one point: theta d x 1, indices n x 1 -> out d x n.
  virtual void noisy_terms(ConstBatch theta, ConstBatch indices, Batch out,
                           Workspace& scratch) const = 0;

 private:
  /// Costs n d operations in addition to the v_k, and uses n (d + 1) numbers of scratch.
  void covariance_diagonal(const Numbers& numbers, ConstBatch theta, std::uint32_t draw, Batch out,
                           Workspace& scratch) const final {
    for_centred(numbers, theta, draw, scratch, [&](Index j, const MatrixMap& v) {
      out.col(j) = batch_.variance_factor() * v.rowwise().squaredNorm();
    });
  }
  /// Costs n d^2 / 2 operations in addition to the v_k, and uses n (d + 1) numbers of scratch.
  void covariance(const Numbers& numbers, ConstBatch theta, std::uint32_t draw, Batch out,
                  Workspace& scratch) const final {
    const Index d = theta.rows();
    for_centred(numbers, theta, draw, scratch, [&](Index j, const MatrixMap& v) {
      MatrixMap V(out.col(j).data(), d, d);
      V.setZero();
      V.selfadjointView<Eigen::Lower>().rankUpdate(v, batch_.variance_factor());
      V.triangularView<Eigen::StrictlyUpper>() = V.transpose();
    });
  }

  /// Calls visit(j, v) for each column j; v is d x n, the v_k of column j minus their mean.
  template <class Visit>
  void for_centred(const Numbers& numbers, ConstBatch theta, std::uint32_t draw, Workspace& scratch,
                   const Visit& visit) const {
    const Workspace::Frame frame(scratch);
    const MatrixMap indices = draw_indices(numbers, theta.cols(), draw, scratch);
    MatrixMap v = scratch.matrix(theta.rows(), batch_.size());
    for (Index j = 0; j < theta.cols(); ++j) {
      noisy_terms(theta.middleCols(j, 1), indices.middleCols(j, 1), v, scratch);
      for (Index i = 0; i < v.rows(); ++i) v.row(i).array() -= v.row(i).mean();
      visit(j, v);
    }
  }

  std::shared_ptr<const Potential> base_;
  const SumOfTerms& sum_;
  BatchDraw batch_;
};

}  // namespace mixwell::noise
