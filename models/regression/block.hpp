// Some coefficients of a regression on two labels given the others, which shift the margins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "likelihood.hpp"

#include <mixwell/plugin.hpp>

#include <vector>

namespace mixwell::regression {

/// U as a function of the coefficients x: z = S_x x + S_rest rest. The cache of a column is S_rest
/// rest, a number for each case, and the prior's part of the rest.
template <class Link>
class Block final : public BlockPotential {
 public:
  /// `whole` outlives it.
  Block(const Likelihood<Link>& whole, double prior_variance, const std::vector<Index>& coordinates)
      : whole_(whole),
        own_(whole.of_columns(coordinates)),
        prior_variance_(prior_variance),
        coordinates_(coordinates) {}

  Index cache_rows() const noexcept override { return own_.padded_cases() + 1; }

  /// N d multiplications and additions a column.
  void prepare(ConstBatch theta, Batch caches, Workspace& scratch) const override {
    const Workspace::Frame frame(scratch);
    MatrixMap rest = scratch.matrix(theta.rows(), theta.cols());
    MatrixMap margins = scratch.matrix(own_.padded_cases(), theta.cols());
    rest = theta;
    for (const Index c : coordinates_) rest.row(c).setZero();
    whole_.margins(rest, margins);
    caches.topRows(margins.rows()) = margins;
    caches.bottomRows(1) = (0.5 / prior_variance_) * rest.colwise().squaredNorm();
  }

  /// 4 N b multiplications and additions a column, of only U half as many, and N weights.
  void evaluate(const BlockCaches& caches, ConstBatch x, const Evaluation& out) const override {
    Batch gradient = out.gradient;
    if (out.wants_gradient()) gradient = x / prior_variance_;
    if (out.wants_potential()) {
      out.u() = (0.5 / prior_variance_) * x.colwise().squaredNorm();
      for (Index j = 0; j < x.cols(); ++j) out.u()(j) += caches.column(j)[own_.padded_cases()];
    }
    own_.add_shifted(x, caches, out);
  }

 private:
  const Likelihood<Link>& whole_;
  Likelihood<Link> own_;
  double prior_variance_;
  std::vector<Index> coordinates_;
};

}  // namespace mixwell::regression
