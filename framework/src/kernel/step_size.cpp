// The step size of a transition.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/warmup_windows.hpp"

#include <mixwell/graph/operation.hpp>
#include <mixwell/kernel/momentum.hpp>
#include <mixwell/kernel/step_size.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

/// eps: fixed or learnt, times a random factor if it is jittered.
class DrawStepSize {
 public:
  DrawStepSize(const StepSizeSettings& settings, Index row)
      : row_(row), step_size_(settings.step_size), jitter_(settings.jitter.value_or(Interval{})) {}

  void operator()(Columns& block, std::optional<edge::Learnt> learnt,
                  std::optional<edge::Noise> noise, edge::Out<edge::StepSize> eps) const {
    if (learnt) {
      for (Index j = 0; j < eps.cols(); ++j) {
        eps(j) = std::exp((*learnt)(row_, learnt->cols() == 1 ? 0 : j));
      }
    } else {
      eps.setConstant(step_size_);
    }
    if (!noise) return;
    RowMap factor = block.scratch().row(eps.cols());
    noise->uniforms(factor);
    const auto [a, b] = jitter_;
    eps.array() *= a + (b - a) * factor.array();
  }

 private:
  Index row_;
  double step_size_;
  Interval jitter_;
};

/// If all replicates share the history, the learner uses their mean acceptance.
void learn_from(const DualAveraging& learner, Columns& block, MatrixMap state,
                ConstRowMap acceptance) {
  if (state.cols() == acceptance.cols()) return learner.update(state, acceptance);
  MatrixMap mean = block.scratch().matrix(1, 1);
  mean(0, 0) = acceptance.mean();
  learner.update(state, mean);
}

/// Restarts the learning when the preconditioner has changed.
void restart(Columns& block, MatrixMap state) {
  if (!WarmupWindows(block.warmup()).closes(block.sweep())) return;
  for (Index j = 0; j < state.cols(); ++j) {
    DualAveraging::restart(state, j, state(DualAveraging::log_eps, j));
  }
}

/// The state from which a trial step starts.
struct TrialStart {
  edge::PointPosition theta;
  edge::Law law;
  edge::MomentumLaw momentum_law;
  edge::Potential<edge::Here> u;
  edge::Gradient<edge::Here> g;
  edge::Preconditioner H;
  edge::Noise noise;
};

class FirstStepSearch {
 public:
  FirstStepSearch(std::shared_ptr<const Integrator> integrator, Coupling coupling)
      : integrator_(std::move(integrator)), coupling_(coupling) {}

  void operator()(Columns& block, edge::History before, edge::PointPosition theta, edge::Law law,
                  edge::MomentumLaw momentum_law, edge::Potential<edge::Here> u,
                  edge::Gradient<edge::Here> g, edge::Preconditioner H, edge::Noise noise,
                  edge::Out<edge::History> state) const {
    edge::begin(before, state);
    RowMap open = block.scratch().row(state.cols());
    open = (state.row(DualAveraging::count).array() == 0.0).cast<double>();
    if (open.sum() == 0.0) return;
    RowMap direction = block.scratch().row(state.cols());
    direction.setZero();
    RowMap probability = block.scratch().row(state.cols());
    const TrialStart start{theta, law, momentum_law, u, g, H, noise};
    for (std::uint32_t trial = 0; trial < most_trials && open.sum() > 0.0; ++trial) {
      try_step(block, start, state, trial, probability);
      for (Index j = 0; j < state.cols(); ++j) {
        if (open(j) != 0.0) open(j) = moves_on(state, j, probability(j), direction(j)) ? 1.0 : 0.0;
      }
    }
  }

 private:
  static constexpr std::uint32_t most_trials = 50;
  static constexpr double wanted = 0.8;

  /// Doubles or halves eps of column j while the probability stays on the same side of `wanted` as
  /// in the first trial.
  static bool moves_on(MatrixMap& state, Index j, double probability, double& direction) {
    const double side = probability > wanted ? 1.0 : -1.0;
    if (direction == 0.0) direction = side;
    if (side != direction) return false;
    DualAveraging::restart(state, j, state(DualAveraging::log_eps, j) + side * std::log(2.0));
    return true;
  }

  /// Acceptance probabilities of one step with new momenta, or their mean if the history is shared.
  void try_step(Columns& block, const TrialStart& at, ConstBatch state, std::uint32_t trial,
                Row out) const {
    const Index d = at.theta.rows();
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    const Workspace::Frame frame(scratch);
    const MomentumLaw& kinetic = at.momentum_law.function;
    const Numbers& numbers = at.momentum_law.numbers();
    MatrixMap p = scratch.matrix(d, w);
    kinetic.draw(numbers, at.noise.normals(d, w, trial), p, scratch);
    RowMap start = scratch.row(w);
    kinetic.kinetic(numbers, p, start, scratch);
    start += at.u;
    RowMap end = scratch.row(w);
    step(block, at, state, p, end);
    RowMap kinetic_end = scratch.row(w);
    kinetic.kinetic(numbers, p, kinetic_end, scratch);
    RowMap accepted = scratch.row(w);
    for (Index j = 0; j < w; ++j) {
      const double error = end(j) + kinetic_end(j) - start(j);
      accepted(j) = std::isfinite(error) ? std::min(1.0, std::exp(-error)) : 0.0;
    }
    if (out.cols() == w) {
      out = accepted;
    } else {
      out(0) = accepted.mean();
    }
  }

  void step(Columns& block, const TrialStart& at, ConstBatch state, Batch p, Row u_end) const {
    const Index d = p.rows();
    const Index w = p.cols();
    Workspace& scratch = block.scratch();
    MatrixMap position = scratch.matrix(d, w);
    MatrixMap gradient = scratch.matrix(d, w);
    MatrixMap eps = scratch.matrix(d, w);
    flat(position) = flat(at.theta);
    flat(gradient) = flat(at.g);
    for (Index j = 0; j < w; ++j) {
      eps.col(j).setConstant(std::exp(state(DualAveraging::log_eps, state.cols() == 1 ? 0 : j)));
    }
    const Flow flow(coupling_, at.H);
    const Motion motion{at.law, flow, ConstMatrixMap(eps.data(), d, w), scratch};
    integrator_->advance({position, p, gradient}, 1, motion, u_end.data());
  }

  std::shared_ptr<const Integrator> integrator_;
  Coupling coupling_;
};

}  // namespace

void check_interval(const char* key, const std::optional<Interval>& interval, bool whole) {
  if (!interval) return;
  const auto [a, b] = *interval;
  if (a > b) throw ParameterError(key, "must be [low, high] with low at most high");
  if (whole && (a != std::floor(a) || b != std::floor(b))) {
    throw ParameterError(key, "must be [low, high] with two whole numbers");
  }
}

void StepSizeSettings::declare_with_target(Fields& fields, const std::string& advice) {
  fields.number("target_acceptance", target_acceptance)
      .above(0)
      .below(1)
      .help("adapt eps in warmup by dual averaging, to reach this mean acceptance probability" +
            (advice.empty() ? advice : "; " + advice));
  declare(fields);
}

void StepSizeSettings::declare(Fields& fields) {
  fields.number("step_size", step_size)
      .unit("time")
      .above(0)
      .refines(Refines::step_size)
      .help("step size eps, or its initial value if eps is adapted");
  fields.flag("pool", pool)
      .help("adapt one eps for all replicates, to their mean acceptance probability");
  fields.flag("freeze", freeze)
      .help(
          "freeze eps after warmup; if false, adaptation diminishes, and the target is not "
          "exactly invariant");
  fields.interval("step_size_jitter", jitter)
      .above(0)
      .help("[a, b]: multiply eps by a uniform random number from [a, b] in each transition");
}

void StepSizeSettings::check() const {
  check_interval("step_size_jitter", jitter, false);
  if (!freeze && !learns())
    throw ParameterError(
        "freeze",
        "has no effect, because eps is fixed here. Remove the key, or let warmup adapt eps.");
  if (pool && !learns())
    throw ParameterError(
        "pool",
        "has no effect, because eps is fixed here. Remove the key, or let warmup adapt eps.");
}

/// Replicates that choose their branches separately cannot share one eps.
static void check_pool(KernelGraph& graph) {
  const Guard branch = graph.set_guard();
  graph.set_guard(branch);
  if (branch)
    throw ParameterError("pool",
                         "adapts one eps for all replicates, but here each replicate chooses "
                         "whether it makes this transition. Set pool = false.");
}

StepSize::StepSize(KernelGraph& graph, const Site& site, const StepSizeSettings& settings)
    : settings_(settings) {
  if (!settings.learns()) return;
  if (settings.pool) check_pool(graph);
  const DualAveraging learner(settings.step_size, *settings.target_acceptance);
  learnt_ =
      graph.history(site.path + "/step-size-learner", learner.initial(), learner.forgets(),
                    settings.pool ? Scope::run : Scope::replicate, learner.rate(), "step size");
}

void StepSize::search(KernelGraph& graph, const Site& site, const FirstStep& first) const {
  if (!learns_in(site)) return;
  const Cached at = graph.evaluation(first.law.value, site.slot);
  add_operation(graph, site.path + "/first-step-size", OperationKind::observe, {},
                FirstStepSearch(first.integrator, first.coupling),
                Edge<edge::History>{graph.current(learnt_)},
                Edge<edge::PointPosition>{graph.current(site.slot)}, first.law, first.momentum_law,
                Edge<edge::Potential<edge::Here>>{at.u}, Edge<edge::Gradient<edge::Here>>{at.g},
                first.preconditioner,
                Edge<edge::Noise>{graph.noise(site.path + "/first-step-size")},
                Write<edge::History>{Output::next(learnt_)});
}

Edge<edge::StepSize> StepSize::draw(KernelGraph& graph, const Site& site) const {
  std::optional<Edge<edge::Learnt>> learnt;
  std::optional<Edge<edge::Noise>> noise;
  if (settings_.learns()) learnt = {graph.current(learnt_)};
  if (settings_.jitter) noise = {graph.noise(site.path + "/step-size")};
  // In warmup eps must explore, so it may vary much more than in recorded transitions.
  const Index row =
      site.phase == PhaseKind::warmup ? DualAveraging::log_eps : DualAveraging::log_eps_bar;
  return add_operation(graph, site.path + "/step-size", OperationKind::pure, {},
                       DrawStepSize(settings_, row), learnt, noise,
                       Write<edge::StepSize>{Output::derived(site.path + "/eps", 1)});
}

void StepSize::learn(KernelGraph& graph, const Site& site, Edge<edge::Acceptance> acceptance,
                     bool with_preconditioner) const {
  if (!learns_in(site) && (settings_.freeze || !settings_.learns())) return;
  add_operation(
      graph, site.path + "/learn-step-size", OperationKind::observe, {},
      [learner = DualAveraging(settings_.step_size, *settings_.target_acceptance)](
          Columns& block, edge::History before, edge::Acceptance seen,
          edge::Out<edge::History> state) {
        edge::begin(before, state);
        learn_from(learner, block, state, seen);
      },
      Edge<edge::History>{graph.current(learnt_)}, acceptance,
      Write<edge::History>{Output::next(learnt_)});
  if (!with_preconditioner || site.phase != PhaseKind::warmup) return;
  const Guard branch = graph.set_guard();  // windows end in all replicates, whatever their branch
  add_operation(
      graph, site.path + "/restart-step-size", OperationKind::observe, {},
      [](Columns& block, edge::History before, edge::Out<edge::History> state) {
        edge::begin(before, state);
        restart(block, state);
      },
      Edge<edge::History>{graph.current(learnt_)}, Write<edge::History>{Output::next(learnt_)});
  graph.set_guard(branch);
}

}  // namespace mixwell
