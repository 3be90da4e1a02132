// The step size of a transition.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/warmup_windows.hpp"

#include <mixwell/momentum.hpp>
#include <mixwell/step_size.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

/// Inputs: [register], [noise]. Output: eps.
class DrawBody final : public Body {
 public:
  DrawBody(const StepSizeSettings& settings, Index row)
      : learnt_(settings.learns()),
        row_(row),
        step_size_(settings.step_size),
        jitter_(settings.jitter) {}

  void run(Block& block) const override {
    RowMap eps = block.out_row(0);
    if (learnt_) {
      const ConstMatrixMap state = block.in(0);
      for (Index j = 0; j < eps.cols(); ++j) {
        eps(j) = std::exp(state(row_, state.cols() == 1 ? 0 : j));
      }
    } else {
      eps.setConstant(step_size_);
    }
    if (!jitter_) return;
    RowMap factor = block.scratch().row(eps.cols());
    block.uniforms(learnt_ ? 1 : 0, factor);
    const auto [a, b] = *jitter_;
    eps.array() *= a + (b - a) * factor.array();
  }

 private:
  bool learnt_;
  Index row_;
  double step_size_;
  std::optional<Interval> jitter_;
};

/// Inputs: register, acceptance probabilities. Output: the register's next version.
class LearnBody final : public Body {
 public:
  explicit LearnBody(const StepSizeSettings& settings)
      : learner_(settings.step_size, *settings.target_acceptance) {}

  void run(Block& block) const override {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(0).data()) state = block.in(0);
    const ConstMatrixMap acceptance = block.in(1);
    if (state.cols() == acceptance.cols()) return learner_.update(state, acceptance);
    MatrixMap mean = block.scratch().matrix(1, 1);
    mean(0, 0) = acceptance.mean();
    learner_.update(state, mean);
  }

 private:
  DualAveraging learner_;
};

/// Input: register. Output: its next version, started again where the curvature has changed.
class RestartBody final : public Body {
 public:
  void run(Block& block) const override {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(0).data()) state = block.in(0);
    if (!WarmupWindows(block.warmup()).closes(block.sweep())) return;
    for (Index j = 0; j < state.cols(); ++j) {
      DualAveraging::restart(state, j, state(DualAveraging::log_eps, j));
    }
  }
};

/// Inputs: register, theta, law, momentum law, u, g, curvature, noise. Output: the register's next
/// version.
class SearchBody final : public Body {
 public:
  SearchBody(std::shared_ptr<const Integrator> integrator, Coupling coupling)
      : integrator_(std::move(integrator)), coupling_(coupling) {}

  void run(Block& block) const override {
    MatrixMap state = block.out(0);
    if (state.data() != block.in(reg).data()) state = block.in(reg);
    RowMap open = block.scratch().row(state.cols());
    open = (state.row(DualAveraging::count).array() == 0.0).cast<double>();
    if (open.sum() == 0.0) return;
    RowMap direction = block.scratch().row(state.cols());
    direction.setZero();
    RowMap probability = block.scratch().row(state.cols());
    for (std::uint32_t trial = 0; trial < most_trials && open.sum() > 0.0; ++trial) {
      try_step(block, state, trial, probability);
      for (Index j = 0; j < state.cols(); ++j) {
        if (open(j) != 0.0) open(j) = moves_on(state, j, probability(j), direction(j)) ? 1.0 : 0.0;
      }
    }
  }

 private:
  enum In : std::size_t { reg, theta, law, momentum_law, u, g, curvature, noise };
  static constexpr std::uint32_t most_trials = 50;
  static constexpr double wanted = 0.8;

  /// Doubles or halves eps of column j while the probability stays on the side where the first
  /// trial found it.
  static bool moves_on(MatrixMap& state, Index j, double probability, double& direction) {
    const double side = probability > wanted ? 1.0 : -1.0;
    if (direction == 0.0) direction = side;
    if (side != direction) return false;
    DualAveraging::restart(state, j, state(DualAveraging::log_eps, j) + side * std::log(2.0));
    return true;
  }

  /// Acceptance probabilities of one step with fresh momenta; where the register is shared, their
  /// mean.
  void try_step(Block& block, ConstBatch state, std::uint32_t trial, Row out) const {
    const Index d = block.in(theta).rows();
    const Index w = block.columns();
    Workspace& scratch = block.scratch();
    const Workspace::Frame frame(scratch);
    const auto& kinetic = block.function<MomentumLaw>(momentum_law);
    MatrixMap z = scratch.matrix(d, w);
    MatrixMap p = scratch.matrix(d, w);
    block.normals(noise, z, trial);
    kinetic.draw(block.in(momentum_law), z, p, scratch);
    RowMap start = scratch.row(w);
    kinetic.kinetic(block.in(momentum_law), p, start, scratch);
    start += block.in_row(u);
    RowMap end = scratch.row(w);
    step(block, state, p, end);
    RowMap kinetic_end = scratch.row(w);
    kinetic.kinetic(block.in(momentum_law), p, kinetic_end, scratch);
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

  void step(Block& block, ConstBatch state, Batch p, Row u_end) const {
    const Index d = p.rows();
    const Index w = p.cols();
    Workspace& scratch = block.scratch();
    MatrixMap position = scratch.matrix(d, w);
    MatrixMap gradient = scratch.matrix(d, w);
    MatrixMap eps = scratch.matrix(d, w);
    flat(position) = flat(block.in(theta));
    flat(gradient) = flat(block.in(g));
    for (Index j = 0; j < w; ++j) {
      eps.col(j).setConstant(std::exp(state(DualAveraging::log_eps, state.cols() == 1 ? 0 : j)));
    }
    const Flow flow(coupling_, block.curvature(curvature));
    const Law target = block.law(law);
    const Motion motion{target, flow, ConstMatrixMap(eps.data(), d, w), scratch};
    integrator_->advance({position, p, gradient}, 1, motion, u_end.data());
    block.count_gradients(law, w * integrator_->gradients(1));
  }

  std::shared_ptr<const Integrator> integrator_;
  Coupling coupling_;
};

}  // namespace

void check_interval(const char* key, const std::optional<Interval>& interval, bool whole) {
  if (!interval) return;
  const auto [a, b] = *interval;
  if (a > b) throw ParameterError(key, "the low end is above the high end");
  if (whole && (a != std::floor(a) || b != std::floor(b))) {
    throw ParameterError(key, "both ends must be whole numbers");
  }
}

void StepSizeSettings::declare(Fields& fields) {
  fields.number("step_size", step_size)
      .unit("time")
      .above(0)
      .help("eps of one step; where it is learnt, the value to start from");
  fields.flag("pool", pool)
      .help(
          "one learnt eps for all replicates, from their mean acceptance, instead of one for each");
  fields.flag("freeze", freeze)
      .help(
          "a learnt eps stays as it is after warm-up; false: it goes on learning while draws are "
          "recorded, by ever smaller steps, which is adaptive and no longer exact");
  fields.interval("step_size_jitter", jitter)
      .above(0)
      .help("[a, b]: each transition uses eps * U[a, b]");
}

void StepSizeSettings::check() const {
  check_interval("step_size_jitter", jitter, false);
  if (!freeze && !learns()) throw ParameterError("freeze", "eps is fixed here: nothing is learnt");
  if (pool && !learns()) throw ParameterError("pool", "eps is fixed here: nothing is learnt");
}

StepSize::StepSize(KernelGraph& graph, const Site& site, const StepSizeSettings& settings)
    : settings_(settings) {
  if (!settings.learns()) return;
  const DualAveraging learner(settings.step_size, *settings.target_acceptance);
  learnt_ = graph.history(site.path + "/step-size-learner", learner.initial(), learner.forgets(),
                          settings.pool ? Scope::run : Scope::replicate, learner.rate());
}

void StepSize::search(KernelGraph& graph, const Site& site, const FirstStep& first) const {
  if (!learns_in(site)) return;
  graph.add(site.path + "/first-step-size", OperationKind::observe, {},
            {{graph.current(learnt_), Role::state},
             {graph.current(site.slot), Role::parameter},
             {first.law, Role::law},
             {first.momentum_law, Role::law},
             {first.at.u, Role::evaluation},
             {first.at.g, Role::evaluation},
             {first.curvature, Role::parameter},
             {graph.noise(site.path + "/first-step-size"), Role::noise}},
            {Output::next(learnt_)},
            std::make_shared<SearchBody>(first.integrator, first.coupling));
}

Value StepSize::draw(KernelGraph& graph, const Site& site) const {
  std::vector<Input> inputs;
  if (settings_.learns()) inputs.push_back({graph.current(learnt_), Role::parameter});
  if (settings_.jitter) inputs.push_back({graph.noise(site.path + "/step-size"), Role::noise});
  // What explores in warm-up wanders by far more than what is recorded may.
  const Index row =
      site.phase == PhaseKind::warmup ? DualAveraging::log_eps : DualAveraging::log_eps_bar;
  return graph
      .add(site.path + "/step-size", OperationKind::pure, {}, std::move(inputs),
           {Output::derived(site.path + "/eps", 1)}, std::make_shared<DrawBody>(settings_, row))
      .front();
}

void StepSize::learn(KernelGraph& graph, const Site& site, Value acceptance,
                     bool with_curvature) const {
  if (!learns_in(site) && (settings_.freeze || !settings_.learns())) return;
  graph.add(site.path + "/learn-step-size", OperationKind::observe, {},
            {{graph.current(learnt_), Role::state}, {acceptance, Role::parameter}},
            {Output::next(learnt_)}, std::make_shared<LearnBody>(settings_));
  if (!with_curvature || site.phase != PhaseKind::warmup) return;
  const Guard branch = graph.set_guard();  // windows close for all, whichever branch they chose
  graph.add(site.path + "/restart-step-size", OperationKind::observe, {},
            {{graph.current(learnt_), Role::state}}, {Output::next(learnt_)},
            std::make_shared<RestartBody>());
  graph.set_guard(branch);
}

}  // namespace mixwell
