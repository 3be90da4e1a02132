// Laws with the noise of a minibatch, and what a batch tells of that noise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batch.hpp"
#include "seed.hpp"

#include <mixwell/plugin.hpp>

#include <memory>
#include <utility>

namespace mixwell::noise {

/// A law whose gradient has a part N/n sum of v_k, where the v_k belong to a batch of n of N cases,
/// with a batch of its own for each column and draw.
///
/// V = N^2/n f S, S = sum (v_k - mean) (v_k - mean)' / (n - 1) the empirical Fisher information of
/// the batch, f = 1 with replacement, 1 - n/N without: then E V = Cov(N/n sum of v_k) exactly, for
/// either way of drawing (Cochran 1977, Sampling Techniques, theorem 2.4).
class BatchPotential : public Potential, protected GradientNoise {
 public:
  BatchPotential(std::shared_ptr<const Potential> base, BatchDraw batch)
      : base_(std::move(base)), sum_(*base_->offers<SumOfTerms>()), batch_(batch) {}

  /// Of a batch of a single case nothing can be told.
  const GradientNoise* as_noise() const noexcept final {
    return batch_.size() < 2 ? nullptr : this;
  }

 protected:
  const SumOfTerms& sum() const noexcept { return sum_; }
  const BatchDraw& batch() const noexcept { return batch_; }

  /// n x w, valid until the caller's Frame ends. O(n) a column, and N / 64 words without
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
  /// n d beyond the v_k; scratch n (d + 1) numbers.
  void covariance_diagonal(const Numbers& numbers, ConstBatch theta, std::uint32_t draw, Batch out,
                           Workspace& scratch) const final {
    for_centred(numbers, theta, draw, scratch, [&](Index j, const MatrixMap& v) {
      out.col(j) = batch_.variance_factor() * v.rowwise().squaredNorm();
    });
  }
  /// n d^2 / 2 beyond the v_k; scratch n (d + 1) numbers.
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

  /// visit(j, the v_k of column j minus their mean, d x n) for each column.
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
