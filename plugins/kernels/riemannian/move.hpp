// Follows the trajectory of each column, and checks its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "leapfrog.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace mixwell::riemannian {

enum class Failure { not_solved, not_reversed };

inline constexpr StatisticTable<Failure, 2> failures{
    {{Failure::not_solved,
      {"fixed_point_failure", RecordType::boolean, "",
       "whether an implicit step found no solution"}},
     {Failure::not_reversed,
      {"reversibility_failure", RecordType::boolean, "",
       "whether the trajectory did not return to its start when it was integrated back"}}}};

/// Follows the trajectories of a block. If an implicit step or the way back fails, or U is not
/// finite at the end, the proposal is the start with u* = inf, and a divergence is reported.
/// Columns are followed one by one, because they need different numbers of iterations.
class Follow {
 public:
  Follow(const Metric& metric, const Tolerances& tolerances, bool checks_way_back)
      : metric_(metric), tolerances_(tolerances), checks_way_back_(checks_way_back) {}

  void operator()(Columns& block, edge::Position theta, edge::Momentum p, edge::Law law,
                  edge::Potential<edge::Here> u, edge::Gradient<edge::Here> g, edge::StepSize eps,
                  edge::StepCount steps, edge::ProposedPosition theta_end,
                  edge::Out<edge::Proposed<edge::Momentum>> p_end,
                  edge::Out<edge::Potential<edge::There>> u_end,
                  edge::Out<edge::Gradient<edge::There>> g_end,
                  edge::Statistics<Failure> failed) const {
    for (Index j = 0; j < theta.cols(); ++j) {
      const Workspace::Frame frame(block.scratch());
      theta_end.col(j) = theta.col(j);
      p_end.col(j) = p.col(j);
      g_end.col(j) = g.col(j);
      failed[Failure::not_solved](j) = 0.0;
      failed[Failure::not_reversed](j) = 0.0;
      Point end{column(theta_end, j), column(p_end, j), column(g_end, j), u(j)};
      const Start start{column(theta, j), column(p, j), eps(j),
                        static_cast<std::int64_t>(steps(j))};
      const auto event = follow(block, law.regrouped(&j), start, end, j, failed);
      u_end(j) = end.u;
      if (!event) continue;
      block.report(*event, theta);
      theta_end.col(j) = theta.col(j);
      p_end.col(j) = p.col(j);
      g_end.col(j) = g.col(j);
      u_end(j) = std::numeric_limits<double>::infinity();
    }
  }

 private:
  using ConstVector = Eigen::Map<const Eigen::VectorXd>;
  struct Start {
    ConstVector theta;
    ConstVector p;
    double eps;
    std::int64_t steps;
  };

  /// Returns what went wrong, if anything.
  std::optional<Event> follow(Columns& block, const Law& law, const Start& start, Point& end,
                              Index j, edge::Statistics<Failure> failed) const {
    Leapfrog leapfrog(law, metric_, tolerances_, end.theta.size(), block.scratch());
    if (!leapfrog.run(end, start.eps, start.steps)) {
      failed[Failure::not_solved](j) = 1.0;
      return Event{j, "implicit step", -1, start.eps};
    }
    if (!std::isfinite(end.u)) return Event{j, "potential", -1, end.u};
    if (!checks_way_back_) return std::nullopt;
    Point back = turned(end, block.scratch());
    double distance = std::numeric_limits<double>::infinity();
    if (leapfrog.run(back, start.eps, start.steps)) distance = from_start(start, end, back);
    if (distance <= tolerances_.reversibility) return std::nullopt;
    failed[Failure::not_reversed](j) = 1.0;
    return Event{j, "way back", -1, distance};
  }

  static Vector column(MatrixMap all, Index j) { return {all.col(j).data(), all.rows()}; }
  static ConstVector column(const ConstMatrixMap& all, Index j) {
    return {all.col(j).data(), all.rows()};
  }

  /// A copy with the momentum negated.
  static Point turned(const Point& from, Workspace& scratch) {
    const Index d = from.theta.size();
    const auto vector = [&] { return Vector(scratch.row(d).data(), d); };
    Point to{vector(), vector(), vector(), from.u};
    to.theta = from.theta;
    to.p = -from.p;
    to.g = from.g;
    return to;
  }

  /// Distance from the start to the end of the way back. Negates the momentum of `back` again.
  static double from_start(const Start& start, const Point& end, Point& back) {
    back.p = -back.p;
    return std::max(relative_change(start.theta, back.theta, end.theta),
                    relative_change(start.p, back.p, end.p));
  }

  const Metric& metric_;
  Tolerances tolerances_;
  bool checks_way_back_;
};

}  // namespace mixwell::riemannian
