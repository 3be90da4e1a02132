// Which cases of the data make up a minibatch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mixwell::noise {

/// n of the whole numbers below N.
class BatchDraw {
 public:
  BatchDraw(Index terms, Index size, bool replacement) noexcept
      : terms_(terms), size_(size), replacement_(replacement) {}

  Index size() const noexcept { return size_; }
  /// N / n, by which a sum over the batch estimates that over all cases.
  double scale() const noexcept { return static_cast<double>(terms_) / static_cast<double>(size_); }

  /// (N^2/n) f / (n - 1), f = 1 with replacement and 1 - n/N without: times the sum of centred
  /// squares over a batch of n >= 2 this estimates the variance of scale() times a sum over it.
  double variance_factor() const noexcept {
    const auto n = static_cast<double>(size_);
    const double f = replacement_ ? 1.0 : 1.0 - 1.0 / scale();
    return scale() * scale() * n * f / (n - 1.0);
  }

  /// N S by N^2/n f S, the variance of scale() times a sum over a batch: n / (N f); 0 for a batch
  /// of all cases, whose sum has no variance.
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
  /// Floyd's algorithm: for k = N-n .. N-1 a number below k + 1, or k itself if that was taken.
  /// Every subset is equally likely (Bentley & Floyd 1987).
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

}  // namespace mixwell::noise
