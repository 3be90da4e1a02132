// Stores past points of a chain, and updates preconditioners from accepted trajectories.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/point_history.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/graph/operation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace mixwell {
namespace {

/// A history of a fixed number of points of dimension d.
class HistoryWriter {
 public:
  HistoryWriter(Index dimension, Index points) : d_(dimension), points_(points) {}

  PointRows<double> rows(MatrixMap& state, Index j) const {
    return {state.col(j).data() + history_header, d_};
  }

  /// Appends one point and drops the oldest. O(points d).
  void push(MatrixMap& state, Index j, const double* point) const {
    const Index length = path_rows(d_, 1);
    const PointRows<double> kept = rows(state, j);
    if (state(0, j) == 0.0) {
      for (Index k = 0; k + 1 < points_; ++k) std::copy_n(point, length, kept.point(k));
      state(0, j) = 1.0;
    } else {
      std::copy(kept.point(1), kept.point(points_), kept.point(0));
    }
    std::copy_n(point, length, kept.point(points_ - 1));
  }

  Index dimension() const noexcept { return d_; }
  Index points() const noexcept { return points_; }

 private:
  Index d_;
  Index points_;
};

/// Remembers the last `points` points of an accepted path.
class RememberPath : public HistoryWriter {
 public:
  RememberPath(Index dimension, Index points, bool only_end)
      : HistoryWriter(dimension, points), only_end_(only_end) {}
  void operator()(edge::History before, edge::PointPosition theta, edge::Way path,
                  edge::Out<edge::History> state) const {
    edge::begin(before, state);
    const Index count = path.rows() / path_rows(dimension(), 1);
    for (Index j = 0; j < state.cols(); ++j) {
      const PointRows<const double> way(path.col(j).data(), dimension());
      if (!led_to(way, count, theta, j)) continue;
      for (Index k = only_end_ ? count - 1 : 0; k < count; ++k) push(state, j, way.point(k));
    }
  }

 private:
  bool only_end_;
};

/// Remembers the slot's newest position. A column that did not move adds nothing.
class RememberPosition : public HistoryWriter {
 public:
  using HistoryWriter::HistoryWriter;
  void operator()(Columns& block, edge::History before, edge::PointPosition theta,
                  edge::PointPotential u, edge::PointGradient g,
                  edge::Out<edge::History> state) const {
    edge::begin(before, state);
    MatrixMap point = block.scratch().matrix(path_rows(dimension(), 1), 1);
    for (Index j = 0; j < state.cols(); ++j) {
      const double* newest = rows(state, j).theta(points() - 1);
      const bool moved = !std::equal(newest, newest + dimension(), theta.col(j).data());
      if (state(0, j) != 0.0 && !moved) continue;
      const PointRows<double> at(point.data(), dimension());
      at.u(0) = u(j);
      std::copy_n(theta.col(j).data(), dimension(), at.theta(0));
      std::copy_n(g.col(j).data(), dimension(), at.g(0));
      push(state, j, point.data());
    }
  }
};

/// Replaces the history by the points of a memory, which must have the same number of points.
class RememberMemory : public HistoryWriter {
 public:
  using HistoryWriter::HistoryWriter;
  void operator()(edge::History before, edge::List<edge::PointPotential> u,
                  edge::List<edge::PointPosition> theta, edge::List<edge::PointGradient> g,
                  edge::Out<edge::History> state) const {
    edge::begin(before, state);
    state.row(0).setOnes();
    for (Index k = 0; k < points(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      const Index row = history_header + path_rows(dimension(), k);
      state.row(row) = u[i];
      state.middleRows(row + 1, dimension()) = theta[i];
      state.middleRows(row + 1 + dimension(), dimension()) = g[i];
    }
  }
};

void check_memory(const Site& site) {
  const MemoryValues& memory = site.memory;
  if (memory.potentials.size() == memory.points.size() &&
      static_cast<Index>(memory.points.size()) == site.history.points) {
    return;
  }
  throw InputError(
      fmt::format("the memory of `{}` has {} points and {} potentials, but its history has {} "
                  "points. The three numbers must be equal. Use a compositor whose memory "
                  "matches the history.",
                  site.path, memory.points.size(), memory.potentials.size(), site.history.points));
}

/// Adds column j of a path to column j of the matrices, if the path was accepted.
void update_along(const RecursivePreconditioner& recursive, const edge::Way& path, ConstBatch theta,
                  Batch state, Index j, Workspace& scratch) {
  const Index d = theta.rows();
  const Index points = path.rows() / path_rows(d, 1);
  const PointRows<const double> way(path.col(j).data(), d);
  if (!led_to(way, points, theta, j)) return;
  const Workspace::Frame frame(scratch);
  const double** from = scratch.objects<const double*>(2 * points);
  for (Index k = 0; k < points; ++k) {
    from[k] = way.theta(k);
    from[points + k] = way.g(k);
  }
  const std::span<const double* const> all(from, static_cast<std::size_t>(2 * points));
  const auto n = static_cast<std::size_t>(points);
  recursive.update({d, 1, all.first(n), all.last(n)}, state.col(j), scratch);
}

}  // namespace

bool led_to(const PointRows<const double>& way, Index points, ConstBatch theta, Index j) {
  return theta.col(j) == Eigen::VectorXd::Map(way.theta(points - 1), theta.rows());
}

PointHistory add_point_history(KernelGraph& graph, std::string name, Index dimension,
                               Index points) {
  const Eigen::VectorXd empty =
      Eigen::VectorXd::Zero(history_header + path_rows(dimension, points));
  return {graph.history(std::move(name), empty, Forgets::window), points};
}

void remember_points(KernelGraph& graph, const Site& site, Value path) {
  if (site.remember == Remember::nothing) return;
  const Index d = graph[site.slot].rows;
  const Index points = site.history.points;
  const Edge<edge::History> before{graph.current(site.history.numbers)};
  const Write<edge::History> next{Output::next(site.history.numbers)};
  const Edge<edge::PointPosition> theta{graph.current(site.slot)};
  const auto add = [&](auto body, const auto&... given) {
    add_operation(graph, site.path + "/remember", OperationKind::observe, {}, body, before,
                  given..., next);
  };
  if (site.remember == Remember::memory) {
    check_memory(site);
    add(RememberMemory(d, points), edges<edge::PointPotential>(site.memory.potentials),
        edges<edge::PointPosition>(site.memory.points),
        edges<edge::PointGradient>(site.memory.gradients));
  } else if (path) {
    add(RememberPath(d, points, site.remember == Remember::updates), theta, Edge<edge::Way>{path});
  } else {
    const Cached at = graph.evaluation(site.target, site.slot);
    add(RememberPosition(d, points), theta, Edge<edge::PointPotential>{at.u},
        Edge<edge::PointGradient>{at.g});
  }
}

RecursivePreconditioner::~RecursivePreconditioner() = default;

Variable add_matrix(KernelGraph& graph, const Site& site, const Estimator& estimator,
                    const RecursivePreconditioner& recursive) {
  if (const std::string why = recursive.refuses_recursion(); !why.empty()) {
    throw InputError("estimator `" + estimator.name() + "` in `" + site.path +
                     "` cannot be updated after each accepted step: " + why);
  }
  return graph.history(site.path + "/matrix", recursive.initial(graph[site.slot].rows),
                       Forgets::persistent, Scope::replicate, 0.0, "preconditioner");
}

void update_matrix(KernelGraph& graph, const Site& site, Variable matrix,
                   std::shared_ptr<const RecursivePreconditioner> recursive, Value path) {
  if (!path) {
    throw InputError("kernel `" + site.path +
                     "` must follow trajectories with a fixed number of steps, because this "
                     "estimator updates its matrix from these steps. Use such a kernel, or an "
                     "estimator that is fitted to points.");
  }
  add_operation(
      graph, site.path + "/update-curvature", OperationKind::observe, {},
      acting_for(std::dynamic_pointer_cast<const Component>(recursive),
                 [recursive](Columns& block, edge::History before, edge::PointPosition theta,
                             edge::Way way, edge::Out<edge::History> state) {
                   edge::begin(before, state);
                   for (Index j = 0; j < state.cols(); ++j) {
                     update_along(*recursive, way, theta, state, j, block.scratch());
                   }
                 }),
      Edge<edge::History>{graph.current(matrix)},
      Edge<edge::PointPosition>{graph.current(site.slot)}, Edge<edge::Way>{path},
      Write<edge::History>{Output::next(matrix)});
}

void SitePreconditioner::update(KernelGraph& graph, const Site& site, Value path) const {
  if (updated_.id < 0) return;  // the kernel's preconditioner is not fitted to points
  if (recursive_) return update_matrix(graph, site, updated_, recursive_, path);
  Site own = site;
  own.history.numbers = updated_;
  remember_points(graph, own, path);
}

}  // namespace mixwell
