// A transition of one slot while it is described: what kernels ask for, in the order of the sweep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/component/fields.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/graph/operation.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/kernel/momentum.hpp>
#include <mixwell/kernel/step_size.hpp>
#include <mixwell/oracle.hpp>
#include <mixwell/steps.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mixwell {

/// (U, grad U) of a law at a position.
template <class Where>
struct EvaluationAt {
  EvaluationAt(Edge<edge::Potential<Where>> potential, Edge<edge::Gradient<Where>> gradient)
      : u(potential), g(gradient) {}
  explicit EvaluationAt(const Cached& at) : u{at.u}, g{at.g} {}

  Edge<edge::Potential<Where>> u;
  Edge<edge::Gradient<Where>> g;
};

/// A momentum p ~ N(0, M) and its law.
struct PhaseMomentum {
  Variable variable;
  Edge<edge::MomentumLaw> law;
  Edge<edge::Momentum> p{};  ///< its newest version, once it is refreshed
};

/// What a proposal leaves an auxiliary variable at, and by which law the ratio counts it.
struct ProposedAuxiliary {
  Variable variable;
  Edge<edge::Proposed<edge::Auxiliary>> end;
  Edge<edge::AuxiliaryLaw<edge::Here>> law;
  /// The same law made anew at what is proposed, if it depends on that.
  std::optional<Edge<edge::AuxiliaryLaw<edge::There>>> law_at_proposal{};
  /// Needed in the next sweep: it becomes what was proposed or, after a rejection, its own
  /// negative, without which a walk would turn back on itself in the wrong half of the cases.
  bool carried = false;
};

/// Where a move leads, and what else the Metropolis ratio needs.
struct Proposal {
  Edge<edge::Proposed<edge::Position>> theta;
  std::optional<EvaluationAt<edge::There>>
      at{};  ///< of the ratio's law; evaluated if it is missing
  std::vector<ProposedAuxiliary> auxiliaries{};
  /// The energy U + K is of use, and its error is recorded; where it is above 1000 nats or not
  /// finite the transition diverged.
  bool has_energy = false;
  /// The move has itself reported where U* is not finite.
  bool reported = false;
  /// Of a flow whose curvature is the same at its end: what a number of steps may be learnt from.
  std::optional<TrajectoryEdges> trajectory{};
};

/// How a kernel takes a density that is known only by an unbiased estimate.
struct MIXWELL_EXPORT EstimateSettings {
  /// rho of z* = rho z + sqrt(1 - rho^2) z', z' ~ N(0, I): of the normals that the estimate at a
  /// proposal is made from with those of the estimate that is kept. 0 draws them anew.
  double correlation = 0.0;

  void declare(Fields& fields);
};

/// One transition of one slot. It owns what every kernel repeats: the law and its cached
/// evaluation, the curvature, the step size, what learns from the transition, and what is recorded
/// of it. Made by TransitionKernel, which finishes it. A call before one that it needs, after one
/// that ends its time, or a second time where only one counts, throws WiringError with the kernel's
/// name (the table is in framework/src/kernel/transition_calls.cpp).
class MIXWELL_EXPORT Transition {
 public:
  Transition(KernelGraph& graph, const Site& site);

  KernelGraph& graph() const noexcept { return graph_; }
  const Site& site() const noexcept { return site_; }
  Index dimension() const { return graph_[site_.slot].rows; }
  /// SITE/name.
  std::string path(const std::string& name) const { return site_.path + "/" + name; }

  /// theta, the slot's newest version.
  Edge<edge::Position> position() const { return {graph_.current(site_.slot)}; }
  /// Fresh randomness for one operation.
  Edge<edge::Noise> noise(const std::string& name) { return {graph_.noise(path(name))}; }
  /// exp(-U) of an oracle. What the oracle learns from the transition is added at its end.
  Edge<edge::Law> law(std::shared_ptr<const Oracle> oracle);
  /// (U, grad U) at the newest position: cached where it is known, else one evaluation.
  EvaluationAt<edge::Here> evaluation(Edge<edge::Law> law);
  /// That oracle; null before.
  const Oracle* oracle() const noexcept { return oracle_.get(); }
  /// The law of the slot itself, whatever the oracle.
  Edge<edge::Law> target() const { return {site_.target}; }
  /// H before the transition. `of`: the law of steps that have a place for Gamma in their drift;
  /// without it estimators that are an OwnCurvature are refused.
  Edge<edge::Curvature> curvature(std::shared_ptr<const Estimator> estimator,
                                  std::optional<Edge<edge::Law>> of = {});
  /// Gamma, if the curvature has one.
  std::optional<Edge<edge::DriftCorrection>> drift_correction() const;
  /// eps of this transition, and its learning. With `first`, warm-up searches where to start.
  Edge<edge::StepSize> step_size(const StepSizeSettings& settings,
                                 const std::optional<FirstStep>& first = {});
  Edge<edge::StepSize> step_size(const StepSchedule& schedule);
  /// L of this transition, recorded as n_steps, and its learning. After step_size, if a rule draws
  /// L.
  Edge<edge::StepCount> steps(const Steps& settings);
  /// p ~ N(0, M) for a coupling of the curvature to the flow; drawn by `refresh`. H is that of
  /// `curvature`, or any value whose function is a Representation.
  PhaseMomentum momentum(Coupling coupling, Edge<edge::Curvature> H);
  /// p ~ N(0, I): no curvature takes part in it.
  PhaseMomentum momentum() { return add_momentum(Coupling::none, nullptr, {}); }
  void refresh(PhaseMomentum& momentum, const Redraw& redraw = {});
  /// Of what the momentum is left at.
  static ProposedAuxiliary proposed(const PhaseMomentum& momentum,
                                    Edge<edge::Proposed<edge::Momentum>> end,
                                    const Redraw& redraw = {}) {
    return {momentum.variable, {end.value}, {momentum.law.value}, {}, redraw.carries()};
  }

  /// A draw of an auxiliary variable from its law, whatever it was: its newest version. The law's
  /// class has
  ///   void draw(const Numbers& numbers, const edge::Noise& noise, Batch out, Workspace&) const.
  template <class Meaning, class Class>
  Edge<Meaning> redraw(const std::string& name, Variable auxiliary, Edge<edge::LawOf<Class>> law) {
    return add(
        name, OperationKind::refresh, {.keeps_law = true, .full = true},
        [](Columns& block, edge::LawOf<Class> of, edge::Noise noise, edge::Out<Meaning> to) {
          of.function.draw(of.numbers(), noise, to, block.scratch());
        },
        law, this->noise(name), Write<Meaning>{Output::next(auxiliary)});
  }

  /// An operation of this transition; as add_operation. The statistics that it writes are recorded.
  template <class F, class... Given>
  auto add(const std::string& name, OperationKind kind, const Traits& traits, F body,
           const Given&... given) {
    auto written = add_operation(graph_, path(name), kind, traits, std::move(body), given...);
    record_statistics(written);
    return written;
  }
  /// A derived value that an operation writes: rows a column.
  template <class Meaning>
  Write<Meaning> derived(const std::string& name, Index rows,
                         std::shared_ptr<const Function> function = nullptr) const {
    return {Output::derived(path(name), rows, std::move(function))};
  }
  template <class Key, std::size_t size>
  WriteStatistics<Key> statistics(const StatisticTable<Key, size>& table) const {
    return {site_.path, table.rows()};
  }
  /// The next position, and what is known of it.
  Write<edge::Position> next() const { return {Output::next(site_.slot)}; }
  Write<edge::Potential<edge::Next>> next_potential(Edge<edge::Law> law) const;
  Write<edge::Gradient<edge::Next>> next_gradient(Edge<edge::Law> law) const;
  Write<edge::CarriedGradient<edge::Next>> next_carried_gradient(Edge<edge::Law> law) const;

  /// theta* by a body whose last parameter is an edge::ProposedPosition, all else fixed a linear
  /// map of theta and its normals that leads back to theta from theta* if the normals are negated
  /// (Traits::involution with Flips::noise) and keeps volume: a step whose law is the same in
  /// both directions. `local`: it vanishes with eps.
  template <class F, class... Given>
  Proposal propose_symmetric(F body, const Given&... given) {
    return propose({.involution = true, .flips = Flips::noise, .volume = true, .local = true},
                   std::move(body), given...);
  }
  /// The same with traits of its own.
  template <class F, class... Given>
  Proposal propose(const Traits& traits, F body, const Given&... given) {
    return {add("propose", OperationKind::move, traits, std::move(body), given...,
                derived<edge::Proposed<edge::Position>>("theta*", dimension()))};
  }
  /// Says that `metropolis` takes a law that is known only by an estimate; others are refused it.
  void take_estimates(const EstimateSettings& settings);
  /// Whether `metropolis` will take an estimate instead of U of that law. After take_estimates.
  bool takes_estimate_of(Edge<edge::Law> law);
  /// The next state: the proposal with probability min(1, exp(E - E*)), else the state; E is U of
  /// `law` and the negative log densities of the auxiliaries. Of a law that is known only by
  /// an estimate, U is the estimate that was kept with the state, and a new one at the proposal.
  /// Once in a transition: throws WiringError.
  void metropolis(Edge<edge::Law> law, const Proposal& proposal);

  /// A statistic of the transition, recorded beside the draws.
  void record(const Statistic& what, Value value);
  template <class Key>
  [[deprecated("`add` records what its operation writes; delete this line")]] void record(
      const WriteStatistics<Key>&, const WrittenStatistics<Key>&) {}
  /// The acceptance probabilities that the step size learns from; `metropolis` says so itself.
  void learn_from(Value acceptance) { acceptance_ = acceptance; }
  /// The way to the proposal, for a site that remembers it: as SiteCurvature::learn.
  void remember(Value path) { path_ = path; }

  /// Adds what learns from the transition and what every kernel records. Throws WiringError where
  /// the transition has not moved its slot, or a step size has nothing to learn from.
  void finish();

 private:
  /// Calls whose order matters.
  enum class Call : std::uint8_t {
    take_estimates,
    takes_estimate_of,
    law,
    curvature,
    drift_correction,
    step_size,
    steps,
    steps_by_rule,
    momentum,
    metropolis,
    finish
  };
  struct Order;
  bool has_called(Call call) const noexcept;
  /// Throws WiringError for a call out of order.
  void check(Call call) const;
  /// The same, and remembers it.
  void note(Call call);
  /// Those in what an operation wrote.
  template <class Key>
  void record_statistics(const WrittenStatistics<Key>& written) {
    for (const StatisticRow<Key>& row : written.table) record(row.what, written[row.key]);
  }
  template <class... Written>
  void record_statistics(const std::tuple<Written...>& all) {
    std::apply([this](const auto&... one) { (record_statistics(one), ...); }, all);
  }
  template <class Other>
  void record_statistics(const Other&) {}
  PhaseMomentum add_momentum(Coupling coupling, std::shared_ptr<const Representation> how,
                             Value numbers);
  void learn_step_size();
  void learn_steps();

  KernelGraph& graph_;
  const Site& site_;
  Value before_;
  Value acceptance_;
  Value path_;
  std::shared_ptr<const Oracle> oracle_;
  std::optional<SiteCurvature> curvature_;
  std::optional<StepSize> step_size_;
  std::optional<StepSchedule> schedule_;
  std::optional<StepCounts> steps_;
  std::optional<TrajectoryEdges> trajectory_;
  std::uint32_t calls_ = 0;  ///< those made so far, a bit each
  std::optional<Edge<edge::StepSize>> eps_;
  std::optional<EstimateSettings> estimates_;
};

/// A kernel whose transition is described through Transition.
class MIXWELL_EXPORT TransitionKernel : public Kernel {
 public:
  void describe(KernelGraph& graph, const Site& site) const final;

 protected:
  virtual void transition(Transition& t) const = 0;
};

/// What most kernels take from a manifest: `oracle`, `estimator`, `target_acceptance` and the keys
/// of StepSizeSettings.
struct MIXWELL_EXPORT TransitionParams {
  std::shared_ptr<const Oracle> oracle;
  std::shared_ptr<const Estimator> estimator;
  StepSizeSettings step_size{};

  /// What H is to the kernel.
  std::string about_estimator = "curvature H";
  /// As StepSizeSettings::declare_with_target.
  std::string advice{};

  /// `learns_where`, if any: where a metric learnt in warm-up stands in for the identity (see
  /// Field::or_learnt).
  void declare(Fields& fields, std::function<bool()> learns_where = {});
  /// Throws ParameterError where the settings contradict one another.
  void check() const { step_size.check(); }
};

/// Of kernels that take a density that is known only by an unbiased estimate, too.
struct MIXWELL_EXPORT EstimatedTransitionParams : TransitionParams {
  EstimateSettings estimate{};

  void declare(Fields& fields);
};

}  // namespace mixwell
