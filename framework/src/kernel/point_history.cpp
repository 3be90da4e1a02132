// Past points of a chain in a register.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/point_history.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace mixwell {
namespace {

/// Inputs: register, then something else. Output: the register's next version.
class HistoryBody : public Body {
 public:
  HistoryBody(Index dimension, Index points) : d_(dimension), points_(points) {}

 protected:
  enum In : std::size_t { before, first };

  static MatrixMap next(Block& block) {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(before).data()) state = block.in(before);
    return state;
  }

  PointRows<double> rows(MatrixMap& state, Index j) const {
    return {state.col(j).data() + history_header, d_};
  }

  /// Appends one point; the oldest makes room. O(points d).
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

/// Further inputs: the slot's newest position, and the path to the proposal. A path whose end the
/// slot is not at was rejected.
class RememberPath final : public HistoryBody {
 public:
  using HistoryBody::HistoryBody;
  void run(Block& block) const override {
    MatrixMap state = next(block);
    const ConstMatrixMap theta = block.in(first);
    const ConstMatrixMap path = block.in(first + 1);
    const Index count = path.rows() / path_rows(dimension(), 1);
    for (Index j = 0; j < state.cols(); ++j) {
      const PointRows<const double> way(path.col(j).data(), dimension());
      if (!std::equal(theta.col(j).data(), theta.col(j).data() + dimension(),
                      way.theta(count - 1))) {
        continue;
      }
      for (Index k = 0; k < count; ++k) push(state, j, way.point(k));
    }
  }
};

/// Further inputs: the slot's newest position, u, g. A column that did not move adds nothing.
class RememberPosition final : public HistoryBody {
 public:
  using HistoryBody::HistoryBody;
  void run(Block& block) const override {
    MatrixMap state = next(block);
    const ConstMatrixMap theta = block.in(first);
    MatrixMap point = block.scratch().matrix(path_rows(dimension(), 1), 1);
    for (Index j = 0; j < state.cols(); ++j) {
      const double* newest = rows(state, j).theta(points() - 1);
      const bool moved = !std::equal(newest, newest + dimension(), theta.col(j).data());
      if (state(0, j) != 0.0 && !moved) continue;
      const PointRows<double> at(point.data(), dimension());
      at.u(0) = block.in_row(first + 1)(j);
      std::copy_n(theta.col(j).data(), dimension(), at.theta(0));
      std::copy_n(block.in(first + 2).col(j).data(), dimension(), at.g(0));
      push(state, j, point.data());
    }
  }
};

/// Further inputs: as many potentials, positions and gradients as the history has points. All of
/// them replace what was there.
class RememberMemory final : public HistoryBody {
 public:
  using HistoryBody::HistoryBody;
  void run(Block& block) const override {
    MatrixMap state = next(block);
    state.row(0).setOnes();
    for (Index k = 0; k < points(); ++k) {
      const std::size_t at = first + 3 * static_cast<std::size_t>(k);
      const Index row = history_header + path_rows(dimension(), k);
      state.row(row) = block.in_row(at);
      state.middleRows(row + 1, dimension()) = block.in(at + 1);
      state.middleRows(row + 1 + dimension(), dimension()) = block.in(at + 2);
    }
  }
};

void add_memory(const Site& site, std::vector<Input>& inputs) {
  const MemoryValues& memory = site.memory;
  if (memory.potentials.size() != memory.points.size() ||
      static_cast<Index>(memory.points.size()) != site.history.points) {
    throw InputError(fmt::format(
        "the memory of `{}` has {} points and {} potentials, and its history {} points; they must "
        "be as many",
        site.path, memory.points.size(), memory.potentials.size(), site.history.points));
  }
  for (std::size_t k = 0; k < memory.points.size(); ++k) {
    inputs.push_back({memory.potentials[k], Role::parameter});
    inputs.push_back({memory.points[k], Role::parameter});
    inputs.push_back({memory.gradients[k], Role::parameter});
  }
}

}  // namespace

PointHistory add_point_history(KernelGraph& graph, std::string name, Index dimension,
                               Index points) {
  const Eigen::VectorXd empty =
      Eigen::VectorXd::Zero(history_header + path_rows(dimension, points));
  return {graph.history(std::move(name), empty, Forgets::window), points};
}

void remember_points(KernelGraph& graph, const Site& site, Value path) {
  if (site.remember == Remember::nothing) return;
  const Index d = graph[site.slot].rows;
  std::vector<Input> inputs{{graph.current(site.history.numbers), Role::state}};
  std::shared_ptr<const Body> body;
  if (site.remember == Remember::memory) {
    add_memory(site, inputs);
    body = std::make_shared<RememberMemory>(d, site.history.points);
  } else if (path) {
    inputs.push_back({graph.current(site.slot), Role::parameter});
    inputs.push_back({path, Role::parameter});
    body = std::make_shared<RememberPath>(d, site.history.points);
  } else {
    const Cached at = graph.evaluation(site.target, site.slot);
    inputs.push_back({graph.current(site.slot), Role::parameter});
    inputs.push_back({at.u, Role::parameter});
    inputs.push_back({at.g, Role::parameter});
    body = std::make_shared<RememberPosition>(d, site.history.points);
  }
  graph.add(site.path + "/remember", OperationKind::observe, {}, std::move(inputs),
            {Output::next(site.history.numbers)}, std::move(body));
}

}  // namespace mixwell
