// A step of stochastic gradient descent, with or without a velocity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::optimiser {

/// v+ = (1 - alpha) v - eps g, theta+ = theta + v+, with v = 0 where there is no velocity. A column
/// whose end is not finite stays where it was, at rest, as a divergence. O(d) a column beside the
/// gradient.
class DescentBody final : public Body {
 public:
  enum In : std::size_t { theta, law, g, eps, velocity };
  enum Out : std::size_t { next_theta, gradient_norm, diverging, next_velocity };

  explicit DescentBody(std::optional<double> alpha) : alpha_(alpha) {}

  void run(Block& block) const override {
    const Workspace::Frame frame(block.scratch());
    const ConstMatrixMap start = block.in(theta);
    MatrixMap step = block.scratch().matrix(start.rows(), start.cols());
    step.array() = block.in(g).array().rowwise() * -block.in_row(eps).array();
    if (alpha_) flat(step) += (1.0 - *alpha_) * flat(block.in(velocity));
    MatrixMap end = block.out(next_theta);
    for (Index j = 0; j < start.cols(); ++j) {
      block.out_row(gradient_norm)(j) = block.in(g).col(j).norm();
      const Index row = first_not_finite(start.col(j) + step.col(j));
      block.out_row(diverging)(j) = row < 0 ? 0.0 : 1.0;
      if (row < 0) continue;
      block.report({j, "position", row, start(row, j) + step(row, j)}, start);
      step.col(j).setZero();
    }
    flat(end) = flat(start) + flat(step);
    if (alpha_) flat(block.out(next_velocity)) = flat(step);
  }

 private:
  /// Row, or -1.
  template <class Column>
  static Index first_not_finite(const Column& end) {
    for (Index i = 0; i < end.size(); ++i)
      if (!std::isfinite(end(i))) return i;
    return -1;
  }

  std::optional<double> alpha_;
};

/// Adds the descent of a site: one gradient of the oracle's law a sweep, the step size of the
/// schedule, and, with `alpha`, a velocity that is carried over sweeps and begins at rest.
inline void add_descent(KernelGraph& graph, const Site& site, const Oracle& oracle,
                        const StepSchedule& schedule, std::optional<double> alpha) {
  const std::string& path = site.path;
  const Value law = oracle.law(graph, path + "/oracle", site.target);
  const Value eps = schedule.add(graph, path);
  Traits traits;
  traits.optimises = true;
  std::vector<Input> inputs = {{graph.current(site.slot), Role::state},
                               {law, Role::law},
                               {graph.evaluation(law, site.slot).g, Role::evaluation},
                               {eps, Role::parameter}};
  std::vector<Output> outputs = {Output::next(site.slot),
                                 Output::derived(path + "/gradient-norm", 1),
                                 Output::derived(path + "/diverging", 1)};
  if (alpha) {
    const Variable velocity = graph.history(
        path + "/velocity", Eigen::VectorXd::Zero(graph[site.slot].rows), Forgets::persistent);
    inputs.push_back({graph.current(velocity), Role::state});
    outputs.push_back(Output::next(velocity));
  }
  const auto out = graph.add(path + "/descend", OperationKind::move, traits, inputs, outputs,
                             std::make_shared<DescentBody>(alpha));
  record_statistic(graph, site, "step_size", eps, RecordType::real, "time", "eps of the step");
  record_statistic(graph, site, "gradient_norm", out[DescentBody::gradient_norm], RecordType::real,
                   "nats / theta", "|grad U| of the oracle, where the step began");
  record_statistic(graph, site, "diverging", out[DescentBody::diverging], RecordType::boolean, "",
                   "the step ended where theta is not finite, and was dropped");
}

}  // namespace mixwell::optimiser
