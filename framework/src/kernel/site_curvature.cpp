// The curvature of one kernel: constant, fitted or learnt.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/point_history.hpp"
#include "kernel/warmup_windows.hpp"

#include <mixwell/block_normals.hpp>
#include <mixwell/error.hpp>
#include <mixwell/kernel.hpp>

#include <fmt/format.h>

#include <span>

namespace mixwell {
namespace {

bool takes_potentials(const MemoryValues& memory, const Estimator& estimator) {
  return estimator.reads_potentials() && !memory.displacements;
}

/// Inputs: points, then as many gradients, then as many potentials if the estimator reads them.
/// Output: the curvature's numbers.
class FitBody final : public Body {
 public:
  FitBody(std::shared_ptr<const Estimator> estimator, const MemoryValues& memory, Index dimension)
      : estimator_(std::move(estimator)),
        points_(memory.points.size()),
        inputs_(points_ * (takes_potentials(memory, *estimator_) ? 3 : 2)),
        displacements_(memory.displacements),
        dimension_(dimension) {}
  void run(Block& block) const override {
    thread_local std::vector<const double*> from;  // grows once: no allocation in a transition
    from.clear();
    for (std::size_t k = 0; k < inputs_; ++k) from.push_back(block.in(k).data());
    const std::span<const double* const> all(from);
    const Memory memory(dimension_, block.columns(), all.first(points_),
                        all.subspan(points_, points_), all.subspan(2 * points_));
    estimator_->fit(displacements_ ? memory.as_displacements() : memory, block.out(0),
                    block.scratch());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
  std::size_t points_;
  std::size_t inputs_;
  bool displacements_;
  Index dimension_;
};

const Potential& exact_law(const Block& block, std::size_t k) {
  return block.function<Potential>(k);
}

/// Inputs: register, position, gradient, law of the steps, exact law, noise. Output: the register's
/// next version.
class ObserveOwnBody final : public Body {
 public:
  explicit ObserveOwnBody(std::shared_ptr<const Estimator> estimator)
      : estimator_(std::move(estimator)) {}
  void run(Block& block) const override {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(0).data()) state = block.in(0);
    const Law law = block.law(3);
    const BlockNormals noise(block, 5);
    estimator_->as_own()->observe(
        {law, exact_law(block, 4), block.in(1), block.in(2), noise, block.sweep(), block.scratch()},
        state);
    block.count_gradients(3, estimator_->as_own()->gradients() * block.columns());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
};

/// Inputs: exact law, then position or register. Output: the curvature's numbers.
class FitOwnBody final : public Body {
 public:
  explicit FitOwnBody(std::shared_ptr<const Estimator> estimator)
      : estimator_(std::move(estimator)) {}
  void run(Block& block) const override {
    estimator_->as_own()->fit(exact_law(block, 0), block.in(1), block.in(1), block.out(0),
                              block.scratch());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
};

/// Inputs: exact law, then position or register, then the curvature. Output: Gamma.
class DriftCorrectionBody final : public Body {
 public:
  explicit DriftCorrectionBody(std::shared_ptr<const Estimator> estimator)
      : estimator_(std::move(estimator)) {}
  void run(Block& block) const override {
    estimator_->as_own()->drift_correction(exact_law(block, 0), block.in(1), block.in(1),
                                           block.in(2), block.out(0), block.scratch());
  }

 private:
  std::shared_ptr<const Estimator> estimator_;
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
  if (!takes_potentials(memory, estimator)) return inputs;
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
    body = std::make_shared<FitBody>(estimator, site.memory, dimension);
  }
  Traits traits = estimator->traits();
  traits.continuous = traits.continuous || (!past && site.memory.continuous);
  return graph
      .add(site.path + "/fit", OperationKind::pure, traits, std::move(inputs),
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
                             std::shared_ptr<const Estimator> estimator, const Dynamics* of)
    : estimator_(std::move(estimator)) {
  const Index d = graph[site.slot].rows;
  if (const CurvatureLearner* learner = estimator_->as_learner()) {
    learnt_ = graph.history(site.path + "/curvature-learner", learner->initial(d),
                            learner->forgets(), learner->scope(), learner->rate());
    value_ =
        graph.view(site.path + "/curvature", estimator_->representation(), graph.current(learnt_));
  } else if (estimator_->as_own() != nullptr) {
    follow_slot(graph, site, of);
  } else if (estimator_->uses_memory()) {
    value_ = fit(graph, site, estimator_, d);
  } else {
    value_ = constant(graph, site, *estimator_, d);
  }
}

void SiteCurvature::follow_slot(KernelGraph& graph, const Site& site, const Dynamics* of) {
  const OwnCurvature& own = *estimator_->as_own();
  if (of == nullptr) {
    throw InputError(fmt::format(
        "estimator `{}` follows the slot that `{}` moves, and this kernel has no place for the "
        "drift correction that it needs; use kernel `langevin`",
        estimator_->name(), site.path));
  }
  const Index d = graph[site.slot].rows;
  const auto& target = static_cast<const Potential&>(*graph[site.target].function);
  if (const std::string refusal = own.refusal(target); !refusal.empty()) {
    throw InputError(
        fmt::format("estimator `{}` in `{}`: {}", estimator_->name(), site.path, refusal));
  }
  if (auto constant = own.constant(target, d)) {
    value_ = graph.constant(site.path + "/curvature", std::move(constant));
  } else if (const Index rows = own.state_rows(d); rows > 0) {
    const Variable state =
        graph.history(site.path + "/own", Eigen::VectorXd::Zero(rows), Forgets::window);
    if (own.sees_present()) observe(graph, site, *of, state);
    fit_own(graph, site, graph.current(state));
    if (!own.sees_present()) observe(graph, site, *of, state);
  } else {
    fit_own(graph, site, graph.current(site.slot));
  }
}

void SiteCurvature::observe(KernelGraph& graph, const Site& site, const Dynamics& of,
                            Variable state) const {
  graph.add(site.path + "/observe", OperationKind::observe, {},
            {{graph.current(state), Role::state},
             {graph.current(site.slot), Role::parameter},
             {of.at.g, Role::parameter},
             {of.law, Role::parameter},
             {site.target, Role::parameter},
             {graph.noise(site.path + "/observe"), Role::noise}},
            {Output::next(state)}, std::make_shared<ObserveOwnBody>(estimator_));
}

/// `from`: position or register.
void SiteCurvature::fit_own(KernelGraph& graph, const Site& site, Value from) {
  const OwnCurvature& own = *estimator_->as_own();
  const Index d = graph[site.slot].rows;
  const std::string& path = site.path;
  value_ = graph
               .add(path + "/fit", OperationKind::pure, estimator_->traits(),
                    {{site.target, Role::parameter}, {from, Role::parameter}},
                    {Output::derived(path + "/curvature", estimator_->rows(d, 0),
                                     estimator_->representation())},
                    std::make_shared<FitOwnBody>(estimator_))
               .front();
  if (!own.has_drift_correction()) return;
  drift_correction_ =
      graph
          .add(path + "/drift-correction", OperationKind::pure, own.drift_correction_traits(),
               {{site.target, Role::parameter}, {from, Role::parameter}, {value_, Role::parameter}},
               {Output::derived(path + "/Gamma", d)},
               std::make_shared<DriftCorrectionBody>(estimator_))
          .front();
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
