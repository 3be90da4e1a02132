// The preconditioner of one kernel: constant, fitted or learnt.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/point_history.hpp"
#include "kernel/warmup_windows.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/graph/operation.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/kernel/learner.hpp>

#include <fmt/format.h>

#include <span>

namespace mixwell {
namespace {

/// The numbers to which the slot's own preconditioner is fitted: the slot's position or a history.
struct FittedTo : edge::Numbers<Role::parameter> {};

struct FittedNumbers : edge::Numbers<Role::parameter> {};

/// A fit to a PointHistory. O(points d) before the fit.
class FitHistory {
 public:
  const Component& acts_for() const noexcept { return *estimator_; }
  FitHistory(std::shared_ptr<const FittedPreconditioner> estimator, Index points, Index dimension)
      : estimator_(std::move(estimator)), points_(points), dimension_(dimension) {}

  void operator()(Columns& block, edge::Learnt state,
                  edge::Out<edge::Preconditioner> numbers) const {
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
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
    estimator_->fit({dimension_, w, all.first(n), all.subspan(n, n), all.last(n)}, numbers,
                    scratch);
  }

 private:
  std::shared_ptr<const FittedPreconditioner> estimator_;
  Index points_;
  Index dimension_;
};

Value fit(KernelGraph& graph, const Site& site,
          const std::shared_ptr<const FittedPreconditioner>& estimator, Index dimension) {
  if (site.fit_to == FitTo::memory) return MemoryFit(site, estimator).add(graph, site.path).value;
  const Index points = site.history.points;
  require_points(*estimator, site, points);
  return add_operation(graph, site.path + "/fit", OperationKind::pure, estimator->traits(),
                       FitHistory(estimator, points, dimension),
                       Edge<edge::Learnt>{graph.current(site.history.numbers)},
                       Write<edge::Preconditioner>{Output::derived(
                           site.path + "/curvature", estimator->rows(dimension, points),
                           estimator->representation())})
      .value;
}

void observe(KernelGraph& graph, const Site& site, const Dynamics& of, Variable state,
             const std::shared_ptr<const OwnPreconditioner>& own) {
  add_operation(
      graph, site.path + "/observe", OperationKind::observe, {},
      [own](Columns& block, edge::History before, edge::PointPosition theta, edge::PointGradient g,
            edge::StepsLaw law, edge::TargetLaw target, edge::Noise noise,
            edge::Out<edge::History> next) {
        edge::begin(before, next);
        own->observe(
            {law, target.potential(), theta, g, noise.per_step(), block.sweep(), block.scratch()},
            next);
      },
      Edge<edge::History>{graph.current(state)},
      Edge<edge::PointPosition>{graph.current(site.slot)}, Edge<edge::PointGradient>{of.at.g},
      Edge<edge::StepsLaw>{of.law}, Edge<edge::TargetLaw>{site.target},
      Edge<edge::Noise>{graph.noise(site.path + "/observe")},
      Write<edge::History>{Output::next(state)});
}

}  // namespace

SitePreconditioner::SitePreconditioner(KernelGraph& graph, const Site& site,
                                       std::shared_ptr<const Estimator> estimator,
                                       const Dynamics* of)
    : learner_(std::dynamic_pointer_cast<const LearntPreconditioner>(estimator)) {
  const Index d = graph[site.slot].rows;
  if (learner_) {
    learn_from_slot(graph, site);
  } else if (const auto own = std::dynamic_pointer_cast<const OwnPreconditioner>(estimator)) {
    follow_slot(graph, site, of, own);
  } else if (const auto fitted = std::dynamic_pointer_cast<const FittedPreconditioner>(estimator);
             fitted && site.fit_to == FitTo::updates) {
    carry(graph, site, fitted);
  } else if (fitted) {
    value_ = fit(graph, site, fitted, d);
  } else {
    dynamic_cast<const ConstantPreconditioner&>(*estimator).check(d);
    value_ = graph.constant(site.path + "/curvature", estimator->representation());
  }
}

void SitePreconditioner::learn_from_slot(KernelGraph& graph, const Site& site) {
  learnt_ =
      graph.history(site.path + "/curvature-learner", learner_->initial(graph[site.slot].rows),
                    learner_->forgets(), learner_->scope(), learner_->rate(), "preconditioner");
  value_ = graph.view(site.path + "/curvature", learner_->representation(), graph.current(learnt_));
}

void SitePreconditioner::carry(KernelGraph& graph, const Site& site,
                               const std::shared_ptr<const FittedPreconditioner>& estimator) {
  const Index d = graph[site.slot].rows;
  recursive_ = std::dynamic_pointer_cast<const RecursivePreconditioner>(estimator);
  if (recursive_) {
    updated_ = add_matrix(graph, site, *estimator, *recursive_);
    value_ =
        graph.view(site.path + "/curvature", estimator->representation(), graph.current(updated_));
    return;
  }
  Site own = site;
  own.history = add_point_history(graph, site.path + "/history", d, site.history.points);
  updated_ = own.history.numbers;
  value_ = fit(graph, own, estimator, d);
}

void SitePreconditioner::follow_slot(KernelGraph& graph, const Site& site, const Dynamics* of,
                                     const std::shared_ptr<const OwnPreconditioner>& own) {
  if (of == nullptr) {
    throw InputError(
        fmt::format("the preconditioner of estimator `{}` depends on the position that kernel `{}` "
                    "moves, but this kernel cannot add the drift correction that the estimator "
                    "needs. Use a kernel that simulates Langevin dynamics.",
                    own->name(), site.path));
  }
  const Index d = graph[site.slot].rows;
  const auto& target = static_cast<const Potential&>(*graph[site.target].function);
  if (const std::string refusal = own->refusal(target); !refusal.empty()) {
    throw InputError(fmt::format("estimator `{}` in `{}`: {}", own->name(), site.path, refusal));
  }
  if (auto constant = own->constant(target, d)) {
    value_ = graph.constant(site.path + "/curvature", std::move(constant));
  } else if (const Index rows = own->state_rows(d); rows > 0) {
    const Variable state =
        graph.history(site.path + "/own", Eigen::VectorXd::Zero(rows), Forgets::window);
    if (own->sees_present()) observe(graph, site, *of, state, own);
    fit_own(graph, site, graph.current(state), own);
    if (!own->sees_present()) observe(graph, site, *of, state, own);
  } else {
    fit_own(graph, site, graph.current(site.slot), own);
  }
}

/// `from`: a position or a history.
void SitePreconditioner::fit_own(KernelGraph& graph, const Site& site, Value from,
                                 const std::shared_ptr<const OwnPreconditioner>& own) {
  const Index d = graph[site.slot].rows;
  const std::string& path = site.path;
  const Edge<edge::TargetLaw> target{site.target};
  const Edge<FittedTo> to{from};
  const auto fitted =
      add_operation(graph, path + "/fit", OperationKind::pure, own->traits(),
                    acting_for(own,
                               [own](Columns& block, edge::TargetLaw law, FittedTo at,
                                     edge::Out<edge::Preconditioner> numbers) {
                                 own->fit(law.potential(), at, at, numbers, block.scratch());
                               }),
                    target, to,
                    Write<edge::Preconditioner>{
                        Output::derived(path + "/curvature", own->rows(d), own->representation())});
  value_ = fitted.value;
  if (!own->has_drift_correction()) return;
  drift_correction_ =
      add_operation(
          graph, path + "/drift-correction", OperationKind::pure, own->drift_correction_traits(),
          acting_for(own,
                     [own](Columns& block, edge::TargetLaw law, FittedTo at, FittedNumbers numbers,
                           edge::Out<edge::DriftCorrection> gamma) {
                       own->drift_correction(law.potential(), at, at, numbers, gamma,
                                             block.scratch());
                     }),
          target, to, Edge<FittedNumbers>{value_},
          Write<edge::DriftCorrection>{Output::derived(path + "/Gamma", d)})
          .value;
}

void SitePreconditioner::learn(KernelGraph& graph, const Site& site, Value path) const {
  site.remember == Remember::updates ? update(graph, site, path)
                                     : remember_points(graph, site, path);
  if (!learns() || site.phase != PhaseKind::warmup) return;
  const Guard branch = graph.set_guard();  // windows count all sweeps, whatever branch was chosen
  add_operation(
      graph, site.path + "/learn-curvature", OperationKind::observe, {},
      [learner = learner_](Columns& block, edge::History before, edge::PointPosition theta,
                           edge::Out<edge::History> state) {
        edge::begin(before, state);
        const WarmupWindows windows(block.warmup());
        if (!windows.collects(block.sweep())) return;
        learner->observe(state, theta);
        if (windows.closes(block.sweep())) {
          learner->close_window(state, theta.rows(), block.scratch());
        }
      },
      Edge<edge::History>{graph.current(learnt_)},
      Edge<edge::PointPosition>{graph.current(site.slot)},
      Write<edge::History>{Output::next(learnt_)});
  graph.set_guard(branch);
}

void SitePreconditioner::record(KernelGraph& graph, const Site& site) const {
  if (!learns()) return;
  graph.record({.group = RecordGroup::sample_stats,
                .name = recorded_name(site, "inv_metric"),
                .shape = learner_->shape(graph[site.slot].rows),
                .unit = "theta^2",
                .help = "learnt preconditioner H; with coupling = \"mass\", H is the inverse mass "
                        "matrix",
                .slot = site.number,
                .value = value_,
                .once = true});
}

}  // namespace mixwell
