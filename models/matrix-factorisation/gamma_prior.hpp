// Prior of n vectors: all their entries share one precision, which has a gamma prior.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "row_prior.hpp"

#include <cmath>

namespace mixwell::hyper_prior {

/// Every number of X is N(0, 1 / l), where l has a density proportional to l^(shape-1) exp(-rate
/// l); h is log l. Chen, Fox & Guestrin 2014, eq. 29.
class GammaPrior final : public RowPrior {
 public:
  GammaPrior(double shape, double rate) : shape_(shape), rate_(rate) {}

  std::vector<Parameter> parameters(const std::string& what) const override {
    return {{.name = what + "_precision", .shape = {}, .constraint = Constraint::positive()}};
  }
  Index coordinates() const noexcept override { return 1; }

  void add(ConstBatch X, const double* h, double& u, Batch gX, double* gh,
           Workspace&) const override {
    const double precision = std::exp(*h);
    gX += precision * X;
    const double weight = precision * (0.5 * X.squaredNorm() + rate_);
    u += weight - shape(X) * *h;
    *gh += weight - shape(X);
  }
  double potential(ConstBatch X, const double* h, Workspace&) const override {
    return std::exp(*h) * (0.5 * X.squaredNorm() + rate_) - shape(X) * *h;
  }
  void add_precision(const double* h, Batch precision, Batch, Workspace&) const override {
    precision.diagonal().array() += std::exp(*h);
  }
  void draw(RandomNumbers& random, ConstBatch X, double* h, Workspace&) const override {
    *h = draw_log_gamma(random, shape(X), rate_ + 0.5 * X.squaredNorm());
  }
  void draw_rows(RandomNumbers& random, const double* h, Batch X, Workspace&) const override {
    draw_normals(random, std::exp(-0.5 * *h), X);
  }

 private:
  /// Shape of the gamma distribution of l given X.
  double shape(ConstBatch X) const { return shape_ + 0.5 * static_cast<double>(X.size()); }

  double shape_;
  double rate_;
};

}  // namespace mixwell::hyper_prior
