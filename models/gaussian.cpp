// Model `gaussian`: N(mean, Sigma) with one of five structures of Sigma.
// SPDX-License-Identifier: Apache-2.0
#include "gaussian/params.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::gaussian {
namespace {

class Gaussian final : public Model, public ExactSampler, public Metric {
 public:
  using Params = gaussian::ShapeParams;

  explicit Gaussian(const Params& params) : shape_(gaussian::make_shape(params)) {}

  std::vector<Parameter> parameters() const override {
    return {{.name = "x", .shape = {shape_->mean().size()}}};
  }
  GradientGrowth gradient_growth() const noexcept override { return GradientGrowth::lipschitz; }
  void draw(const Stream& stream, Address at, Batch theta) const override {
    shape_->draw(stream, at, theta);
  }

  void metric(ConstBatch theta, Batch G, Workspace&) const override {
    const Index d = theta.rows();
    if (G.cols() == 0) return;
    shape_->precision(MatrixMap(G.data(), d, d));
    for (Index j = 1; j < G.cols(); ++j) G.col(j) = G.col(0);
  }
  void contract_derivative(ConstBatch, ConstBatch, Batch out, Workspace&) const override {
    out.setZero();
  }
  void contract_crosswise(ConstBatch, ConstBatch, Batch out, Workspace&) const override {
    out.setZero();
  }
  bool is_constant() const noexcept override { return true; }
  bool has_constant_hessian() const noexcept override { return true; }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    shape_->gradient(theta, out);
    if (out.wants_potential()) shape_->potential(theta, out);
  }

  std::unique_ptr<const gaussian::Shape> shape_;
};

}  // namespace
}  // namespace mixwell::gaussian

MIXWELL_PLUGIN(registrar) {
  registrar.add<mixwell::gaussian::Gaussian>(
      {.id = "gaussian",
       .summary = "Normal distribution with a choice of covariance structures; exact draws",
       .details =
           "U(theta) = (theta - mean)' Sigma^-1 (theta - mean) / 2, without the constant; "
           "parameter x has shape [d].\n"
           "identity:  Sigma = I\n"
           "diagonal:  Sigma = diag(variances)\n"
           "geometric: Sigma = diag(condition^(-i / (d - 1))), i = 0 .. d - 1\n"
           "ones-plus: Sigma = 1 1' + c I, inverted in O(d) by the Sherman-Morrison formula. One "
           "direction has variance c + d, and d - 1 directions have variance c.\n"
           "dense:     Sigma from a CSV file; a gradient takes d^2 multiplications\n"
           "The metric is Sigma^-1.",
       .sources = {}});
}
