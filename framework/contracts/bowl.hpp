// A target whose metric changes with theta, for checks of quantities that depend on theta.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/law/function.hpp>
#include <mixwell/model.hpp>

namespace mixwell::contracts {

/// U = sum theta_i^4 / 4 with the metric G = I + 3 diag(theta^2) + theta theta' / 2.
class Bowl final : public Potential, public Metric {
 public:
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    Batch g = out.gradient;
    g = theta.array().cube();
    if (out.wants_potential()) out.u() = 0.25 * theta.array().pow(4).colwise().sum().matrix();
  }
  void metric(ConstBatch theta, Batch G, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      MatrixMap one(G.col(j).data(), theta.rows(), theta.rows());
      one = 0.5 * theta.col(j) * theta.col(j).transpose();
      one.diagonal().array() += 1.0 + 3.0 * theta.col(j).array().square();
    }
  }
  void contract_derivative(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const ConstMatrixMap one(W.col(j).data(), theta.rows(), theta.rows());
      out.col(j) = one * theta.col(j) + 6.0 * one.diagonal().cwiseProduct(theta.col(j));
    }
  }
  void contract_crosswise(ConstBatch theta, ConstBatch W, Batch out, Workspace&) const override {
    for (Index j = 0; j < theta.cols(); ++j) {
      const ConstMatrixMap one(W.col(j).data(), theta.rows(), theta.rows());
      out.col(j) = 0.5 * (one * theta.col(j) + one.trace() * theta.col(j)) +
                   6.0 * one.diagonal().cwiseProduct(theta.col(j));
    }
  }
};

}  // namespace mixwell::contracts
