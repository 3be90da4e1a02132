// Operations that the optimisers share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace mixwell::optimiser {

/// A d x d matrix per column.
struct MatrixNumbers : edge::Numbers<Role::parameter> {};

enum class Search { gradient_norm, flag };

/// Adds the move of an optimiser. `table` describes the two statistics: the norm of the gradient
/// and a second number.
template <class F>
void add_move(Transition& t, Edge<edge::Law> law, const std::string& name, F body,
              const StatisticTable<Search, 2>& table) {
  const auto at = t.evaluation(law);
  t.add(name, OperationKind::move, {.optimises = true}, std::move(body), t.position(), law, at.u,
        at.g, t.next(), t.next_potential(law), t.next_gradient(law), t.statistics(table));
}

/// Records the Hessian of the law at the newest version of the slot, in recorded sweeps only.
inline void record_hessian(Transition& t, Edge<edge::Law> law) {
  const Index d = t.dimension();
  const auto numbers = t.add(
      "hessian", OperationKind::pure, {},
      [](Columns& block, edge::Law of, edge::PointPosition theta, edge::Out<MatrixNumbers> out) {
        for (Index j = 0; j < theta.cols(); ++j) {
          const ColumnLaw column(of, j, block.scratch());
          MatrixMap(out.col(j).data(), theta.rows(), theta.rows()) = hessian(column, theta.col(j));
        }
      },
      law, Edge<edge::PointPosition>{t.position().value},
      t.derived<MatrixNumbers>("hessian", d * d));
  t.graph().record({.group = RecordGroup::sample_stats,
                    .name = recorded_name(t.site(), "hessian"),
                    .shape = {d, d},
                    .unit = "nats / theta^2",
                    .help = "second derivatives of U, from central differences of its gradient",
                    .slot = t.site().number,
                    .value = numbers.value});
}

/// A velocity that is carried from sweep to sweep.
struct Velocity : edge::Numbers<Role::state> {};

enum class Descent { gradient_norm, diverging };

inline constexpr StatisticTable<Descent, 2> descent_statistics{
    {{Descent::gradient_norm,
      {"gradient_norm", RecordType::real, "nats / theta",
       "|grad U| of the oracle at the start of the step"}},
     {Descent::diverging,
      {"diverging", RecordType::boolean, "",
       "whether the step was dropped because theta was not finite at the end of the step"}}}};

/// v+ = (1 - alpha) v - eps g, theta+ = theta + v+, with v = 0 if there is no velocity. A column
/// whose end is not finite keeps its position, gets velocity 0 and reports a divergence. Takes O(d)
/// for each column in addition to the gradient.
class Descend {
 public:
  explicit Descend(double alpha) : alpha_(alpha) {}

  void operator()(Columns& block, edge::Position theta, edge::Law, edge::Gradient<edge::Here> g,
                  edge::StepSize eps, std::optional<Velocity> v, edge::Out<edge::Position> next,
                  edge::Statistics<Descent> statistics,
                  std::optional<edge::Out<Velocity>> next_v) const {
    MatrixMap step = block.scratch().matrix(theta.rows(), theta.cols());
    step.array() = g.array().rowwise() * -eps.array();
    if (v) flat(step) += (1.0 - alpha_) * flat(*v);
    for (Index j = 0; j < theta.cols(); ++j) {
      statistics[Descent::gradient_norm](j) = g.col(j).norm();
      const Index row = first_not_finite(theta.col(j) + step.col(j));
      statistics[Descent::diverging](j) = row < 0 ? 0.0 : 1.0;
      if (row < 0) continue;
      block.report({j, "position", row, theta(row, j) + step(row, j)}, theta);
      step.col(j).setZero();
    }
    flat(next) = flat(theta) + flat(step);
    if (next_v) flat(*next_v) = flat(step);
  }

 private:
  /// The row, or -1.
  template <class Column>
  static Index first_not_finite(const Column& end) {
    for (Index i = 0; i < end.size(); ++i)
      if (!std::isfinite(end(i))) return i;
    return -1;
  }

  double alpha_;
};

/// Describes the descent of a slot. Each sweep uses one gradient of the oracle's law and the step
/// size of the schedule. With `alpha`, a velocity is carried from sweep to sweep; it starts at 0.
inline void descend(Transition& t, const std::shared_ptr<const Oracle>& oracle,
                    const StepSchedule& schedule, std::optional<double> alpha) {
  const auto law = t.law(oracle);
  const auto eps = schedule.add(t.graph(), t.site().path);
  std::optional<Edge<Velocity>> v;
  std::optional<Write<Velocity>> next_v;
  if (alpha) {
    const Variable velocity = t.graph().history(
        t.path("velocity"), Eigen::VectorXd::Zero(t.dimension()), Forgets::persistent);
    v = Edge<Velocity>{t.graph().current(velocity)};
    next_v = Write<Velocity>{Output::next(velocity)};
  }
  const auto g = t.evaluation(law).g;
  t.record({"step_size", RecordType::real, "time", "step size eps"}, eps.value);
  t.add("descend", OperationKind::move, {.optimises = true}, Descend(alpha.value_or(1.0)),
        t.position(), law, g, eps, v, t.next(), t.statistics(descent_statistics), next_v);
}

}  // namespace mixwell::optimiser
