// The curvature of one kernel: constant, fitted or learnt.
// SPDX-License-Identifier: Apache-2.0
#include "point_history.hpp"

#include <mixwell/error.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/warmup_windows.hpp>

#include <fmt/format.h>

#include <span>

namespace mixwell {
namespace {

/// Inputs: points, then as many gradients, then as many potentials if the estimator reads them.
/// Output: the curvature's numbers.
class FitBody final : public Body {
 public:
  FitBody(std::shared_ptr<const Estimator> estimator, std::size_t points, Index dimension)
      : estimator_(std::move(estimator)), points_(points), dimension_(dimension) {}
  void run(Block& block) const override {
    thread_local std::vector<const double*> from;  // grows once: no allocation in a transition
    from.clear();
    const std::size_t kinds = estimator_->reads_potentials() ? 3 : 2;
    for (std::size_t k = 0; k < kinds * points_; ++k) from.push_back(block.in(k).data());
    const std::span<const double* const> all(from);
    estimator_->fit({dimension_, block.columns(), all.first(points_), all.subspan(points_, points_),
                     all.subspan(2 * points_)},
                    block.out(0), block.scratch());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
  std::size_t points_;
  Index dimension_;
};

/// Inputs: register, position. Output: the register's next version.
class LearnCurvatureBody final : public Body {
 public:
  explicit LearnCurvatureBody(std::shared_ptr<const Estimator> estimator)
      : estimator_(std::move(estimator)) {}
  void run(Block& block) const override {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(0).data()) state = block.in(0);
    const WarmupWindows windows(block.warmup());
    if (!windows.collects(block.sweep())) return;
    const CurvatureLearner& learner = *estimator_->as_learner();
    learner.observe(state, block.in(1));
    if (!windows.closes(block.sweep())) return;
    learner.close_window(state, block.in(1).rows(), block.scratch());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
};

std::vector<Input> fit_inputs(const Site& site, const Estimator& estimator) {
  const MemoryValues& memory = site.memory;
  std::vector<Input> inputs;
  for (const Value v : memory.points) inputs.push_back({v, Role::parameter});
  for (const Value v : memory.gradients) inputs.push_back({v, Role::parameter});
  if (!estimator.reads_potentials()) return inputs;
  if (memory.potentials.size() != memory.points.size()) {
    throw InputError(fmt::format(
        "estimator `{}` sorts points by their potentials, and the memory of `{}` has none; use an "
        "estimator that takes them as they come (`sort = false`) or another compositor",
        estimator.name(), site.path));
  }
  for (const Value v : memory.potentials) inputs.push_back({v, Role::parameter});
  return inputs;
}

/// Input: a PointHistory's register. Output: the curvature's numbers. O(points d) before the fit.
class FitHistoryBody final : public Body {
 public:
  FitHistoryBody(std::shared_ptr<const Estimator> estimator, Index points, Index dimension)
      : estimator_(std::move(estimator)), points_(points), dimension_(dimension) {}
  void run(Block& block) const override {
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    const ConstMatrixMap state = block.in(0);
    const auto n = static_cast<std::size_t>(points_);
    const double** from = scratch.objects<const double*>(3 * points_);
    for (Index k = 0; k < points_; ++k) {
      const Index row = history_header + path_rows(dimension_, k);
      RowMap u = scratch.row(w);
      MatrixMap theta = scratch.matrix(dimension_, w);
      MatrixMap g = scratch.matrix(dimension_, w);
      u = state.row(row);
      theta = state.middleRows(row + 1, dimension_);
      g = state.middleRows(row + 1 + dimension_, dimension_);
      from[k] = theta.data();
      from[points_ + k] = g.data();
      from[2 * points_ + k] = u.data();
    }
    const std::span<const double* const> all(from, 3 * n);
    estimator_->fit({dimension_, w, all.first(n), all.subspan(n, n), all.last(n)}, block.out(0),
                    scratch);
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
  Index points_;
  Index dimension_;
};

Value fit(KernelGraph& graph, const Site& site, std::shared_ptr<const Estimator> estimator,
          Index dimension) {
  const bool past = site.fit_to == FitTo::history;
  const Index points = past ? site.history.points : static_cast<Index>(site.memory.points.size());
  std::vector<Input> inputs =
      past ? std::vector<Input>{{graph.current(site.history.numbers), Role::parameter}}
           : fit_inputs(site, *estimator);
  std::shared_ptr<const Body> body;
  if (past) {
    body = std::make_shared<FitHistoryBody>(estimator, points, dimension);
  } else {
    body = std::make_shared<FitBody>(estimator, site.memory.points.size(), dimension);
  }
  return graph
      .add(site.path + "/fit", OperationKind::pure, estimator->traits(), std::move(inputs),
           {Output::derived(site.path + "/curvature", estimator->rows(dimension, points),
                            estimator->representation())},
           std::move(body))
      .front();
}

/// A constant has no numbers in the graph; an estimator of one dimension alone throws for others.
Value constant(KernelGraph& graph, const Site& site, const Estimator& estimator, Index dimension) {
  const Index rows = estimator.rows(dimension, 0);
  if (rows != 0) {
    throw InputError(fmt::format(
        "estimator `{}` uses no memory and yet wants {} numbers a column in `{}`; a constant "
        "curvature keeps its numbers in its representation",
        estimator.name(), rows, site.path));
  }
  return graph.constant(site.path + "/curvature", estimator.representation());
}

}  // namespace

SiteCurvature::SiteCurvature(KernelGraph& graph, const Site& site,
                             std::shared_ptr<const Estimator> estimator)
    : estimator_(std::move(estimator)) {
  const Index d = graph[site.slot].rows;
  if (const CurvatureLearner* learner = estimator_->as_learner()) {
    learnt_ = graph.history(site.path + "/curvature-learner", learner->initial(d),
                            learner->forgets(), learner->scope());
    value_ =
        graph.view(site.path + "/curvature", estimator_->representation(), graph.current(learnt_));
  } else if (estimator_->uses_memory()) {
    value_ = fit(graph, site, estimator_, d);
  } else {
    value_ = constant(graph, site, *estimator_, d);
  }
}

void SiteCurvature::learn(KernelGraph& graph, const Site& site, Value path) const {
  remember_points(graph, site, path);
  if (!learns() || site.phase != PhaseKind::warmup) return;
  const Guard branch = graph.set_guard();  // windows count sweeps, whichever branch they chose
  graph.add(site.path + "/learn-curvature", OperationKind::observe, {},
            {{graph.current(learnt_), Role::state}, {graph.current(site.slot), Role::parameter}},
            {Output::next(learnt_)}, std::make_shared<LearnCurvatureBody>(estimator_));
  graph.set_guard(branch);
}

void SiteCurvature::record(KernelGraph& graph, const Site& site) const {
  if (!learns()) return;
  graph.record({.group = RecordGroup::sample_stats,
                .name = recorded_name(site, "inv_metric"),
                .shape = estimator_->as_learner()->shape(graph[site.slot].rows),
                .unit = "theta^2",
                .help = "learnt curvature H; the inverse of the mass where coupling is mass",
                .slot = site.number,
                .value = value_,
                .once = true});
}

}  // namespace mixwell
