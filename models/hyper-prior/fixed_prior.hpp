// One precision for all numbers, which is given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "row_prior.hpp"

#include <cmath>

namespace mixwell::hyper_prior {

/// Every number of X is N(0, 1 / precision).
class FixedPrior final : public RowPrior {
 public:
  explicit FixedPrior(double precision) : precision_(precision) {}

  std::vector<Parameter> parameters(const std::string&) const override { return {}; }
  Index coordinates() const noexcept override { return 0; }

  void add(ConstBatch X, const double* h, double& u, Batch gX, double*,
           Workspace& scratch) const override {
    gX += precision_ * X;
    u += potential(X, h, scratch);
  }
  double potential(ConstBatch X, const double*, Workspace&) const override {
    return 0.5 * precision_ * X.squaredNorm();
  }
  void add_precision(const double*, Batch precision, Batch, Workspace&) const override {
    precision.diagonal().array() += precision_;
  }
  void draw(RandomNumbers&, ConstBatch, double*, Workspace&) const override {}
  void draw_rows(RandomNumbers& random, const double*, Batch X, Workspace&) const override {
    draw_normals(random, 1.0 / std::sqrt(precision_), X);
  }

 private:
  double precision_;
};

}  // namespace mixwell::hyper_prior
