// The trajectory of each column, with the checks of its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "leapfrog.hpp"
#include "params.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mixwell::riemannian {

/// Outputs: theta*, p*, u*, g*, and whether an implicit step failed, or the way back. Where one of
/// them did, or U is not finite at the end, the end is the start with u* = inf, and a divergence is
/// reported. Columns are followed one by one: they need different numbers of iterations.
class TrajectoryBody final : public Body {
 public:
  enum In : std::size_t { theta, p, law, u, g, eps, steps };
  enum Out : std::size_t { theta_end, p_end, u_end, g_end, not_solved, not_reversed };

  TrajectoryBody(const Tolerances& tolerances, bool checks_way_back)
      : tolerances_(tolerances), checks_way_back_(checks_way_back) {}

  void run(Block& block) const override {
    flat(block.out(theta_end)) = flat(block.in(theta));
    flat(block.out(p_end)) = flat(block.in(p));
    flat(block.out(g_end)) = flat(block.in(g));
    block.out_row(u_end) = block.in_row(u);
    std::int64_t gradients = 0;
    for (Index j = 0; j < block.columns(); ++j) {
      const Workspace::Frame frame(block.scratch());
      follow(block, j, gradients);
    }
    block.count_gradients(law, gradients);
  }

 private:
  void follow(Block& block, Index j, std::int64_t& gradients) const {
    const Law target = block.law(law).regrouped(&j);
    const Metric& metric = *block.function<Potential>(law).as_metric();
    Leapfrog leapfrog(target, metric, tolerances_, block.in(theta).rows(), block.scratch());
    const double step = block.in_row(eps)(j);
    const auto count = static_cast<std::int64_t>(block.in_row(steps)(j));
    block.out_row(not_solved)(j) = 0.0;
    block.out_row(not_reversed)(j) = 0.0;
    Point end{column(block, theta_end, j), column(block, p_end, j), column(block, g_end, j),
              block.in_row(u)(j)};
    if (!leapfrog.run(end, step, count, gradients)) {
      block.out_row(not_solved)(j) = 1.0;
      return drop(block, {j, "implicit step", -1, step});
    }
    if (!std::isfinite(end.u)) return drop(block, {j, "potential", -1, end.u});
    block.out_row(u_end)(j) = end.u;
    if (!checks_way_back_) return;
    Point back = turned(end, block.scratch());
    double distance = std::numeric_limits<double>::infinity();
    if (leapfrog.run(back, step, count, gradients)) distance = from_start(block, j, end, back);
    if (distance <= tolerances_.reversibility) return;
    block.out_row(not_reversed)(j) = 1.0;
    drop(block, {j, "way back", -1, distance});
  }

  static Vector column(Block& block, Out k, Index j) {
    MatrixMap all = block.out(k);
    return {all.col(j).data(), all.rows()};
  }

  /// A copy with its momentum turned.
  static Point turned(const Point& from, Workspace& scratch) {
    const Index d = from.theta.size();
    const auto vector = [&] { return Vector(scratch.row(d).data(), d); };
    Point to{vector(), vector(), vector(), from.u};
    to.theta = from.theta;
    to.p = -from.p;
    to.g = from.g;
    return to;
  }

  /// How far from the start the way back ended; its momentum is turned again.
  static double from_start(Block& block, Index j, const Point& end, Point& back) {
    back.p = -back.p;
    return std::max(relative_change(block.in(theta).col(j), back.theta, end.theta),
                    relative_change(block.in(p).col(j), back.p, end.p));
  }

  static void drop(Block& block, const Event& event) {
    const Index j = event.column;
    block.report(event, block.in(theta));
    block.out(theta_end).col(j) = block.in(theta).col(j);
    block.out(p_end).col(j) = block.in(p).col(j);
    block.out(g_end).col(j) = block.in(g).col(j);
    block.out_row(u_end)(j) = std::numeric_limits<double>::infinity();
  }

  Tolerances tolerances_;
  bool checks_way_back_;
};

}  // namespace mixwell::riemannian
