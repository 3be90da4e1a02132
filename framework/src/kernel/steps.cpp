// The number of steps of each transition.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/error.hpp>
#include <mixwell/graph/operation.hpp>
#include <mixwell/kernel/step_size.hpp>
#include <mixwell/steps.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell {
namespace {

/// Draws L by a rule and rounds it up to a whole number. Throws RunError for NaN.
class DrawByRule {
 public:
  explicit DrawByRule(std::shared_ptr<const StepRule> rule) : rule_(std::move(rule)) {}

  void operator()(Columns& block, edge::StepSize eps, std::optional<edge::Learnt> learnt,
                  edge::Noise noise, edge::Out<edge::StepCount> L) const {
    const ConstMatrixMap nothing(nullptr, 0, 1);
    rule_->draw({block.sweep(), eps, learnt ? *learnt : nothing, noise}, L);
    for (Index j = 0; j < L.cols(); ++j) {
      if (std::isnan(L(j))) {
        throw RunError(fmt::format(
            "the rule [steps.{}] returned NaN as the number of steps for eps = {}. Correct "
            "the rule or its keys.",
            rule_->name(), eps(j)));
      }
      L(j) = std::clamp(std::ceil(L(j)), 1.0, Steps::most);
    }
  }
  const Component& acts_for() const noexcept { return *rule_; }

 private:
  std::shared_ptr<const StepRule> rule_;
};

/// The end of a trajectory, as parameters for the learner.
struct EndPosition : edge::Numbers<Role::parameter> {};
struct EndMomentum : edge::Numbers<Role::parameter> {};

class LearnFromTrajectories {
 public:
  LearnFromTrajectories(std::shared_ptr<const StepRule> rule, Coupling coupling)
      : rule_(std::move(rule)), coupling_(coupling) {}

  void operator()(Columns& block, edge::History before, edge::PointPosition start, EndPosition end,
                  EndMomentum p, edge::Preconditioner H, edge::StepSize eps, edge::StepCount L,
                  edge::Acceptance acceptance, edge::Out<edge::History> state) const {
    edge::begin(before, state);
    const ConstMatrixMap velocity = velocity_of(p, H, block.scratch());
    Eigen::Map<Eigen::VectorXd> numbers(state.data(), state.rows());
    rule_->as_learner()->update({start, end, velocity, acceptance, eps, L, block.scratch()},
                                numbers);
  }
  const Component& acts_for() const noexcept { return *rule_; }

 private:
  /// Returns p itself if the velocity is the momentum.
  ConstMatrixMap velocity_of(const EndMomentum& p, const edge::Preconditioner& H,
                             Workspace& scratch) const {
    const Flow flow(coupling_, mixwell::Preconditioner(H));
    if (flow.velocity_is_momentum()) return p;
    MatrixMap velocity = scratch.matrix(p.rows(), p.cols());
    flow.velocity(p, velocity, scratch);
    return {velocity.data(), velocity.rows(), velocity.cols()};
  }

  std::shared_ptr<const StepRule> rule_;
  Coupling coupling_;
};

Edge<edge::StepCount> add_fixed(KernelGraph& graph, const std::string& name, double count,
                                const Write<edge::StepCount>& write) {
  return add_operation(
      graph, name, OperationKind::pure, {},
      [count](edge::Out<edge::StepCount> L) { L.setConstant(count); }, write);
}

Edge<edge::StepCount> add_jittered(KernelGraph& graph, const std::string& name,
                                   const Interval& range, const Write<edge::StepCount>& write) {
  return add_operation(
      graph, name, OperationKind::pure, {},
      [range](edge::Noise noise, edge::Out<edge::StepCount> L) {
        const auto [a, b] = range;
        noise.uniforms(L);
        L = (a + ((b - a + 1.0) * L.array()).floor()).min(b);
      },
      Edge<edge::Noise>{graph.noise(name)}, write);
}

}  // namespace

StepLearner::~StepLearner() = default;
StepRule::~StepRule() = default;

static Field& declare_count(Fields& fields, std::optional<std::int64_t>& count,
                            const std::string& help) {
  return fields.integer("steps", count)
      .at_least(1)
      .at_most(Steps::most)
      .refines(Refines::steps)
      .help(help);
}

void Steps::declare_fixed(Fields& fields, const std::string& help) {
  declare_count(fields, count, help);
}

void Steps::declare(Fields& fields) {
  const bool varies = !count;
  declare_count(fields, count,
                std::string("L, number of integrator steps in a transition") +
                    (varies ? " (by default, drawn from the interval steps_jitter)" : ""))
      .only_where("a fixed number of steps, without steps_jitter", [this] { return !jitter; });
  fields.interval("steps_jitter", jitter)
      .at_least(1)
      .at_most(most)
      .refines(Refines::steps)
      .help(std::string("[a, b]: draw L uniformly from a..b in each transition and replicate") +
            (varies ? "; [5, 15] by default" : ""));
  fields.component("steps_from", rule).or_none().instead_of("steps").help("rule that draws L");
}

void Steps::check() const {
  check_interval("steps_jitter", jitter, true);
  if (rule && jitter) {
    throw ParameterError("steps_jitter",
                         "must not be given together with the rule [steps." + rule->name() +
                             "], because both set the number of steps. Remove one of the two.");
  }
}

void Steps::settle() {
  if (!count && !jitter && !rule) jitter = usual;
}

StepCounts::StepCounts(KernelGraph& graph, const Site& site, const Steps& settings,
                       std::optional<Edge<edge::StepSize>> eps)
    : rule_(settings.rule) {
  const std::string name = site.path + "/steps";
  const Write<edge::StepCount> write{Output::derived(site.path + "/L", 1)};
  if (!rule_) {
    value_ = settings.jitter ? add_jittered(graph, name, *settings.jitter, write)
                             : add_fixed(graph, name, static_cast<double>(settings.fixed()), write);
    return;
  }
  if (!eps) {
    throw WiringError(
        fmt::format("kernel `{}` draws its number of steps by the rule `{}`, which needs the step "
                    "size. Call `step_size` before `steps`.",
                    site.path, rule_->name()));
  }
  eps_ = *eps;
  std::optional<Edge<edge::Learnt>> learnt;
  if (const StepLearner* const learner = rule_->as_learner()) {
    learnt_ = graph.history(site.path + "/steps-learner", learner->initial(), Forgets::unknown,
                            Scope::run, 0.0, "number of steps");
    learnt = Edge<edge::Learnt>{graph.current(learnt_)};
  }
  value_ = add_operation(graph, name, OperationKind::pure, {}, DrawByRule(rule_), eps_, learnt,
                         Edge<edge::Noise>{graph.noise(name)}, write);
}

void StepCounts::learn(KernelGraph& graph, const Site& site, Value before,
                       const TrajectoryEdges& seen, Edge<edge::Acceptance> acceptance) const {
  if (!learns() || site.phase != PhaseKind::warmup) return;
  add_operation(graph, site.path + "/learn-steps", OperationKind::observe, {},
                LearnFromTrajectories(rule_, seen.coupling),
                Edge<edge::History>{graph.current(learnt_)}, Edge<edge::PointPosition>{before},
                Edge<EndPosition>{seen.end.value}, Edge<EndMomentum>{seen.end_momentum.value},
                seen.H, eps_, value_, acceptance, Write<edge::History>{Output::next(learnt_)});
}

}  // namespace mixwell
