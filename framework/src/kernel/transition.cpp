// What every kernel repeats, in one place.
// SPDX-License-Identifier: Apache-2.0
#include "component/places.hpp"
#include "kernel/estimated_metropolis.hpp"

#include <mixwell/error.hpp>
#include <mixwell/position.hpp>
#include <mixwell/transition.hpp>

#include <fmt/format.h>

namespace mixwell {

Transition::Transition(KernelGraph& graph, const Site& site)
    : graph_(graph), site_(site), before_(graph.current(site.slot)) {}

Edge<edge::Law> Transition::law(std::shared_ptr<const Oracle> oracle) {
  oracle_ = std::move(oracle);
  return {law_for_part(graph_, site_, *oracle_)};
}

EvaluationAt<edge::Here> Transition::evaluation(Edge<edge::Law> law) {
  return EvaluationAt<edge::Here>(graph_.evaluation(law.value, site_.slot));
}

Edge<edge::Curvature> Transition::curvature(std::shared_ptr<const Estimator> estimator,
                                            std::optional<Edge<edge::Law>> of) {
  estimator_ = std::move(estimator);
  std::optional<Dynamics> dynamics;
  if (of) dynamics = Dynamics{of->value, graph_.evaluation(of->value, site_.slot)};
  curvature_.emplace(graph_, site_, estimator_, dynamics ? &*dynamics : nullptr);
  return {curvature_->value()};
}

std::optional<Edge<edge::DriftCorrection>> Transition::drift_correction() const {
  if (!curvature_ || !curvature_->drift_correction()) return std::nullopt;
  return Edge<edge::DriftCorrection>{curvature_->drift_correction()};
}

Edge<edge::StepSize> Transition::step_size(const StepSizeSettings& settings,
                                           const std::optional<FirstStep>& first) {
  step_size_.emplace(graph_, site_, settings);
  if (first) step_size_->search(graph_, site_, *first);
  const Edge<edge::StepSize> eps = step_size_->draw(graph_, site_);
  eps_ = eps;
  return eps;
}

Edge<edge::StepSize> Transition::step_size(const StepSchedule& schedule) {
  schedule_ = schedule;
  const Edge<edge::StepSize> eps = schedule.add(graph_, site_.path);
  eps_ = eps;
  return eps;
}

Write<edge::CarriedGradient<edge::Next>> Transition::next_carried_gradient(
    Edge<edge::Law> law) const {
  return {Output::carried_gradient(path("g"), dimension(), law.value, site_.slot)};
}

Edge<edge::StepCount> Transition::steps(const Steps& settings) {
  return steps_.emplace(graph_, site_, settings, eps_).value();
}

PhaseMomentum Transition::momentum(Coupling coupling, Edge<edge::Curvature> H) {
  const Variable p = graph_.auxiliary(path("momentum"), dimension());
  return {p,
          {add_momentum_law(graph_, path("momentum-law"), coupling, estimator_->representation(),
                            H.value)}};
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

bool Transition::takes_estimate_of(Edge<edge::Law> law) const {
  return estimates_ && estimate_of(graph_, law.value) != nullptr;
}

void Transition::finish() {
  if (!estimates_ && estimate_of(graph_, site_.target) != nullptr) {
    throw InputError(fmt::format(
        "kernel `{}` asks for U, and `{}` is known by an unbiased estimate of its density alone; "
        "use kernel random-walk-metropolis, metropolis-gaussian, or, where all parameters have a "
        "Gaussian prior, pcn",
        site_.path, graph_[site_.target].name));
  }
  if (graph_.current(site_.slot) == before_) {
    throw WiringError(fmt::format(
        "kernel `{}` describes a transition that does not move its slot `{}`: it ends with "
        "`metropolis`, or with an operation that writes `next()`",
        site_.path, graph_[site_.slot].name));
  }
  if (eps_) record({"step_size", RecordType::real, "time", "eps of the transition"}, eps_->value);
  if (steps_) {
    record({"n_steps", RecordType::integer, "", "integrator steps"}, steps_->value().value);
  }
  // Metropolis makes all draws equally good, whatever eps was.
  if (schedule_ && !accepts_) schedule_->record_weight(graph_, site_, *eps_);
  if (oracle_) oracle_->learn(graph_, site_, before_);
  if (curvature_) {
    curvature_->learn(graph_, site_, path_);
    curvature_->record(graph_, site_);
  }
  learn_step_size();
  learn_steps();
}

void Transition::learn_step_size() {
  if (!step_size_) return;
  if (step_size_->learns() && !acceptance_) {
    throw WiringError(fmt::format(
        "kernel `{}` learns its step size, and its transition does not say from which acceptance "
        "probabilities: it ends with `metropolis`, or says `learn_from`",
        site_.path));
  }
  step_size_->learn(graph_, site_, {acceptance_}, curvature_ && curvature_->learns());
}

void Transition::learn_steps() {
  if (!steps_ || !steps_->learns()) return;
  if (!trajectory_ || !acceptance_) {
    throw InputError(fmt::format(
        "kernel `{}`: its number of steps is learnt from proposals of a flow whose curvature stays "
        "the same, and it makes none; give `steps`, or use kernel hamiltonian with metropolis",
        site_.path));
  }
  steps_->learn(graph_, site_, before_, *trajectory_, {acceptance_});
}

void EstimateSettings::declare(Fields& fields) {
  fields.number("estimate_correlation", correlation)
      .at_least(0)
      .below(1)
      .help(
          "of a model that is known by an estimate of its density: rho of z* = rho z + sqrt(1 - "
          "rho^2) z', from whose normals z* the estimate at a proposal is made; 0 draws them anew");
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
  fields.component("oracle", oracle).or_default("exact").help("where U and grad U come from");
  Field& curvature =
      fields.component("estimator", estimator).or_default("identity").help(about_estimator);
  if (learns_where) curvature.or_learnt("diagonal", std::move(learns_where));
  step_size.declare_with_target(fields, advice);
}

}  // namespace mixwell
