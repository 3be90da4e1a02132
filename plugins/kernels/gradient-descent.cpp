// Gradient descent: the optimiser that every sampler without noise turns into.
// SPDX-License-Identifier: Apache-2.0
#include "optimiser/operations.hpp"

#include <mixwell/plugin.hpp>

#include <cmath>

namespace {

using namespace mixwell;

/// Inputs: theta, law, u, g. Outputs: theta, u, g, gradient norm, diverging.
class DescendBody final : public Body {
 public:
  explicit DescendBody(double eps) : eps_(eps) {}

  void run(Block& block) const override {
    const ConstMatrixMap start = block.in(0);
    Workspace& scratch = block.scratch();
    MatrixMap end = scratch.matrix(start.rows(), start.cols());
    MatrixMap g = scratch.matrix(start.rows(), start.cols());
    RowMap u = scratch.row(start.cols());
    flat(end) = flat(start) - eps_ * flat(block.in(3));
    block.law(1).evaluate(end, {u.data(), g, scratch});
    block.count_gradients(1, end.cols());
    for (Index j = 0; j < end.cols(); ++j) {
      const bool fine = std::isfinite(u(j)) && g.col(j).allFinite();
      block.out_row(4)(j) = fine ? 0.0 : 1.0;
      if (!fine) block.report(trouble(j, u(j), g, 0.0), start);
      block.out(0).col(j) = fine ? end.col(j) : Eigen::VectorXd(start.col(j));
      block.out_row(1)(j) = fine ? u(j) : block.in_row(2)(j);
      block.out(2).col(j) = fine ? g.col(j) : Eigen::VectorXd(block.in(3).col(j));
      block.out_row(3)(j) = block.out(2).col(j).norm();
    }
  }

 private:
  double eps_;
};

class GradientDescent final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    double step_size = 0.01;
    bool hessian = false;

    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
      fields.number("step_size", step_size)
          .unit("theta^2 / nat")
          .above(0)
          .help("eps of theta+ = theta - eps grad U; below 2 / (largest curvature) it converges");
      fields.flag("hessian", hessian)
          .help("record the Hessian at every draw: d^2 numbers, 2 d gradients");
    }
  };
  explicit GradientDescent(const Params& params) : params_(params) {}

  void describe(KernelGraph& graph, const Site& site) const override {
    const Value law = params_.oracle->law(graph, site.path + "/oracle", site.target);
    const auto out = optimiser::add_move(graph, site, law, "descend", "diverging",
                                         std::make_shared<DescendBody>(params_.step_size));
    record_statistic(graph, site, "gradient_norm", out[3], RecordType::real, "nats / theta",
                     "|grad U| after the step");
    record_statistic(graph, site, "diverging", out[4], RecordType::boolean, "",
                     "the step ended where U or its gradient is not finite, and was dropped");
    if (params_.hessian) optimiser::record_hessian(graph, site, law);
  }

 private:
  Params params_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<GradientDescent>(
      {.id = "gradient-descent",
       .summary = "no sampler: steps against the gradient",
       .details =
           "A sweep is theta+ = theta - eps grad U. It ends at a mode, where a sampler would go "
           "on; set allow = [\"none\"] in [run]. Statistics: gradient_norm, and, if wanted, the "
           "hessian.",
       .sources = {"Cauchy 1847, C. R. Acad. Sci. 25"}});
}
