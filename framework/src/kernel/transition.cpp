// The parts of a transition that kernels share.
// SPDX-License-Identifier: Apache-2.0
#include "component/locations.hpp"
#include "kernel/estimated_metropolis.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/kernel/position.hpp>

#include <fmt/format.h>

namespace mixwell {

Transition::Transition(KernelGraph& graph, const Site& site)
    : graph_(graph), site_(site), before_(graph.current(site.slot)) {}

Edge<edge::Law> Transition::law(std::shared_ptr<const Oracle> oracle) {
  note(Call::law);
  oracle_ = std::move(oracle);
  return {law_for_part(graph_, site_, *oracle_)};
}

EvaluationAt<edge::Here> Transition::evaluation(Edge<edge::Law> law) {
  return EvaluationAt<edge::Here>(graph_.evaluation(law.value, site_.slot));
}

Edge<edge::Preconditioner> Transition::preconditioner(std::shared_ptr<const Estimator> estimator,
                                                      std::optional<Edge<edge::Law>> of) {
  note(Call::preconditioner);
  std::optional<Dynamics> dynamics;
  if (of) dynamics = Dynamics{of->value, graph_.evaluation(of->value, site_.slot)};
  preconditioner_.emplace(graph_, site_, std::move(estimator), dynamics ? &*dynamics : nullptr);
  return {preconditioner_->value()};
}

std::optional<Edge<edge::DriftCorrection>> Transition::drift_correction() const {
  check(Call::drift_correction);
  if (!preconditioner_->drift_correction()) return std::nullopt;
  return Edge<edge::DriftCorrection>{preconditioner_->drift_correction()};
}

Edge<edge::StepSize> Transition::step_size(const StepSizeSettings& settings,
                                           const std::optional<FirstStep>& first) {
  note(Call::step_size);
  step_size_.emplace(graph_, site_, settings);
  if (first) step_size_->search(graph_, site_, *first);
  return eps_.emplace(step_size_->draw(graph_, site_));
}

Edge<edge::StepSize> Transition::step_size(const StepSchedule& schedule) {
  note(Call::step_size);
  schedule_ = schedule;
  return eps_.emplace(schedule.add(graph_, site_.path));
}

Write<edge::CarriedGradient<edge::Next>> Transition::next_carried_gradient(
    Edge<edge::Law> law) const {
  return {Output::carried_gradient(path("g"), dimension(), law.value, site_.slot)};
}

Edge<edge::StepCount> Transition::steps(const Steps& settings) {
  note(settings.rule ? Call::steps_by_rule : Call::steps);
  return steps_.emplace(graph_, site_, settings, eps_).value();
}

PhaseMomentum Transition::momentum(Coupling coupling, Edge<edge::Preconditioner> H) {
  auto how =
      H.value ? std::dynamic_pointer_cast<const Representation>(graph_[H.value].function) : nullptr;
  if (how == nullptr) {
    throw WiringError(fmt::format(
        "kernel `{}` draws a momentum with an H that is not a preconditioner. Take H "
        "from `preconditioner`, or from a value whose `function` is a `Representation`. "
        "Call `momentum()` without H to draw p from N(0, I).",
        site_.path));
  }
  return add_momentum(coupling, std::move(how), H.value);
}

PhaseMomentum Transition::add_momentum(Coupling coupling, std::shared_ptr<const Representation> how,
                                       Value numbers) {
  note(Call::momentum);
  const Variable p = graph_.auxiliary(path("momentum"), dimension());
  return {p, add_momentum_law(graph_, path("momentum-law"), coupling, std::move(how), numbers)};
}

void Transition::refresh(PhaseMomentum& momentum, const Redraw& redraw) {
  momentum.p =
      add_momentum_refresh(graph_, path("refresh"), momentum.variable, momentum.law, redraw);
}

Write<edge::Potential<edge::Next>> Transition::next_potential(Edge<edge::Law> law) const {
  return {Output::evaluation(path("u"), 1, law.value, site_.slot)};
}

Write<edge::Gradient<edge::Next>> Transition::next_gradient(Edge<edge::Law> law) const {
  return {Output::evaluation(path("g"), dimension(), law.value, site_.slot)};
}

void Transition::record(const Statistic& what, Value value) {
  record_statistic(graph_, site_, what.name, value, what.type, what.unit, what.help);
}

void Transition::take_estimates(const EstimateSettings& settings) {
  note(Call::take_estimates);
  estimates_ = settings;
}

bool Transition::takes_estimate_of(Edge<edge::Law> law) {
  note(Call::takes_estimate_of);
  return estimates_ && estimate_of(graph_, law.value) != nullptr;
}

void Transition::finish() {
  note(Call::finish);
  if (!estimates_ && estimate_of(graph_, site_.target) != nullptr) {
    throw InputError(
        fmt::format("kernel `{}` needs the exact potential U, but `{}` offers only an unbiased "
                    "estimate of its density. Use a kernel with the key `estimate_correlation`, "
                    "which accepts an estimate.",
                    site_.path, graph_[site_.target].name));
  }
  if (graph_.current(site_.slot) == before_) {
    throw WiringError(
        fmt::format("kernel `{}` describes a transition that does not move its slot `{}`. End the "
                    "transition with `metropolis`, or with an operation that writes `next()`.",
                    site_.path, graph_[site_.slot].name));
  }
  if (eps_) record({"step_size", RecordType::real, "time", "eps of the transition"}, eps_->value);
  if (steps_) {
    record({"n_steps", RecordType::integer, "", "integrator steps"}, steps_->value().value);
  }
  // With Metropolis all draws have the same weight, whatever eps was.
  if (schedule_ && !has_called(Call::metropolis)) schedule_->record_weight(graph_, site_, *eps_);
  if (oracle_) oracle_->learn(graph_, site_, before_);
  if (preconditioner_) {
    preconditioner_->learn(graph_, site_, path_);
    preconditioner_->record(graph_, site_);
  }
  learn_step_size();
  learn_steps();
}

void Transition::learn_step_size() {
  if (!step_size_) return;
  if (step_size_->learns() && !acceptance_) {
    throw WiringError(
        fmt::format("kernel `{}` adapts its step size, but its transition does not give any "
                    "acceptance probabilities. End the transition with `metropolis`, or call "
                    "`learn_from`.",
                    site_.path));
  }
  step_size_->learn(graph_, site_, {acceptance_}, preconditioner_ && preconditioner_->learns());
}

void Transition::learn_steps() {
  if (!steps_ || !steps_->learns()) return;
  if (!trajectory_ || !acceptance_) {
    throw InputError(fmt::format(
        "kernel `{}` cannot learn its number of steps. To learn it, a kernel must propose the end "
        "of a trajectory with a constant preconditioner, and then make a Metropolis decision. Set "
        "`steps`, or use such a kernel.",
        site_.path));
  }
  steps_->learn(graph_, site_, before_, *trajectory_, {acceptance_});
}

void EstimateSettings::declare(Fields& fields) {
  fields.number("estimate_correlation", correlation)
      .at_least(0)
      .below(1)
      .help(
          "correlation rho in z* = rho z + sqrt(1 - rho^2) z', the proposal for the estimate's "
          "random numbers z");
}

void EstimatedTransitionParams::declare(Fields& fields) {
  TransitionParams::declare(fields);
  estimate.declare(fields);
}

void TransitionKernel::describe(KernelGraph& graph, const Site& site) const {
  composing(*this, [&] {
    Transition t(graph, site);
    transition(t);
    t.finish();
  });
}

void TransitionParams::declare(Fields& fields, std::function<bool()> learns_where) {
  fields.component("oracle", oracle).or_default("exact").help("source of U and grad U");
  Field& preconditioner =
      fields.component("estimator", estimator).or_default("identity").help(about_estimator);
  if (learns_where) preconditioner.or_learnt("diagonal", std::move(learns_where));
  step_size.declare_with_target(fields, advice);
}

}  // namespace mixwell
