// The description of a transition of one slot: what kernels request, in the order of the sweep.
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
  Edge<edge::Momentum> p{};  ///< its newest version, after `refresh`
};

/// The value of an auxiliary variable at a proposal, and its law in the acceptance ratio.
struct ProposedAuxiliary {
  Variable variable;
  Edge<edge::Proposed<edge::Auxiliary>> end;
  Edge<edge::AuxiliaryLaw<edge::Here>> law;
  /// The law of the variable, computed again at the proposal, if the law depends on the position.
  std::optional<Edge<edge::AuxiliaryLaw<edge::There>>> law_at_proposal{};
  /// True if the next sweep needs the variable. The variable then becomes the proposed value or,
  /// after a rejection, the negative of its old value. Without this sign change, the walk would
  /// reverse its direction in the wrong cases.
  bool carried = false;
};

/// A proposed position, and what else the Metropolis ratio needs.
struct Proposal {
  Edge<edge::Proposed<edge::Position>> theta;
  std::optional<EvaluationAt<edge::There>>
      at{};  ///< (U, grad U) under the ratio's law; computed if missing
  std::vector<ProposedAuxiliary> auxiliaries{};
  /// True if the energy U + K is meaningful. Its error is then recorded, and the transition counts
  /// as diverged if the error is above 1000 nats or not finite.
  bool has_energy = false;
  /// True if the move itself has already reported every U* that is not finite.
  bool reported = false;
  /// The trajectory from which the number of steps may be learnt. Only for a flow with the same
  /// preconditioner at both ends.
  std::optional<TrajectoryEdges> trajectory{};
};

/// Settings of a kernel for a density that is known only through an unbiased estimate.
struct MIXWELL_EXPORT EstimateSettings {
  /// rho in z* = rho z + sqrt(1 - rho^2) z', z' ~ N(0, I). z are the normals of the stored
  /// estimate, and z* are the normals of the estimate at a proposal. With rho = 0, z* is
  /// independent of z.
  double correlation = 0.0;

  void declare(Fields& fields);
};

/// One transition of one slot. A Transition handles the parts that every kernel needs: the law and
/// its cached evaluation, the preconditioner, the step size, learning and recording.
/// TransitionKernel creates and finishes it. Three kinds of calls throw a WiringError with the
/// kernel's name: a call that comes before another call that it needs, a call that comes too late,
/// and a second call where only one is allowed. The table of all calls is in
/// framework/src/kernel/transition_calls.cpp.
class MIXWELL_EXPORT Transition {
 public:
  Transition(KernelGraph& graph, const Site& site);

  KernelGraph& graph() const noexcept { return graph_; }
  const Site& site() const noexcept { return site_; }
  Index dimension() const { return graph_[site_.slot].rows; }
  /// Returns SITE/name.
  std::string path(const std::string& name) const { return site_.path + "/" + name; }

  /// theta, the slot's newest version.
  Edge<edge::Position> position() const { return {graph_.current(site_.slot)}; }
  /// Adds new random numbers for one operation.
  Edge<edge::Noise> noise(const std::string& name) { return {graph_.noise(path(name))}; }
  /// Adds the law exp(-U) of an oracle. The operations by which the oracle learns from the
  /// transition are added at the end of the transition.
  Edge<edge::Law> law(std::shared_ptr<const Oracle> oracle);
  /// Returns (U, grad U) at the newest position: the cached values if known, otherwise one
  /// evaluation.
  EvaluationAt<edge::Here> evaluation(Edge<edge::Law> law);
  /// The oracle that was passed to `law`, or null before that call.
  const Oracle* oracle() const noexcept { return oracle_.get(); }
  /// The law of the slot itself, whichever oracle is used.
  Edge<edge::Law> target() const { return {site_.target}; }
  /// Adds H as it is before the transition. `of` is the law of the steps. Pass it only if the drift
  /// of the steps has a term for Gamma. Without it, an estimator that is an OwnPreconditioner is
  /// refused.
  Edge<edge::Preconditioner> preconditioner(std::shared_ptr<const Estimator> estimator,
                                            std::optional<Edge<edge::Law>> of = {});
  [[deprecated("renamed to preconditioner")]] Edge<edge::Preconditioner> curvature(
      std::shared_ptr<const Estimator> estimator, std::optional<Edge<edge::Law>> of = {}) {
    return preconditioner(std::move(estimator), of);
  }
  /// Gamma, if the preconditioner has one.
  std::optional<Edge<edge::DriftCorrection>> drift_correction() const;
  /// Adds eps of this transition, and its learning. With `first`, warmup begins with a search for
  /// an initial value.
  Edge<edge::StepSize> step_size(const StepSizeSettings& settings,
                                 const std::optional<FirstStep>& first = {});
  Edge<edge::StepSize> step_size(const StepSchedule& schedule);
  /// Adds L of this transition, recorded as n_steps, and its learning. If a rule draws L, call it
  /// after step_size.
  Edge<edge::StepCount> steps(const Steps& settings);
  /// Adds p ~ N(0, M) for a coupling of the preconditioner to the flow. `refresh` draws p. H is the
  /// result of `preconditioner`, or any value whose function is a Representation.
  PhaseMomentum momentum(Coupling coupling, Edge<edge::Preconditioner> H);
  /// Adds p ~ N(0, I), which does not depend on a preconditioner.
  PhaseMomentum momentum() { return add_momentum(Coupling::none, nullptr, {}); }
  void refresh(PhaseMomentum& momentum, const Redraw& redraw = {});
  /// Describes the momentum at the end of a proposal.
  static ProposedAuxiliary proposed(const PhaseMomentum& momentum,
                                    Edge<edge::Proposed<edge::Momentum>> end,
                                    const Redraw& redraw = {}) {
    return {momentum.variable, {end.value}, {momentum.law.value}, {}, redraw.carries()};
  }

  /// Draws an auxiliary variable from its law, independently of its old value, and returns its
  /// newest version. The class of the law has
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

  /// Adds an operation of this transition, like add_operation. The statistics that it writes are
  /// recorded.
  template <class F, class... Given>
  auto add(const std::string& name, OperationKind kind, const Traits& traits, F body,
           const Given&... given) {
    auto written = add_operation(graph_, path(name), kind, traits, std::move(body), given...);
    record_statistics(written);
    return written;
  }
  /// A derived value that an operation writes, with `rows` numbers in each column.
  template <class Meaning>
  Write<Meaning> derived(const std::string& name, Index rows,
                         std::shared_ptr<const Function> function = nullptr) const {
    return {Output::derived(path(name), rows, std::move(function))};
  }
  template <class Key, std::size_t size>
  WriteStatistics<Key> statistics(const StatisticTable<Key, size>& table) const {
    return {site_.path, table.rows()};
  }
  /// The next position, and its evaluation.
  Write<edge::Position> next() const { return {Output::next(site_.slot)}; }
  Write<edge::Potential<edge::Next>> next_potential(Edge<edge::Law> law) const;
  Write<edge::Gradient<edge::Next>> next_gradient(Edge<edge::Law> law) const;
  Write<edge::CarriedGradient<edge::Next>> next_carried_gradient(Edge<edge::Law> law) const;

  /// Proposes theta* by a body whose last parameter is an edge::ProposedPosition. With everything
  /// else fixed, theta* must be a linear map of theta and the body's normals that preserves volume,
  /// and the same map with negated normals must lead from theta* back to theta (Traits::involution
  /// with Flips::noise). Use it for steps with the same density in both directions. This function
  /// declares the trait `local`: the step vanishes with eps.
  template <class F, class... Given>
  Proposal propose_symmetric(F body, const Given&... given) {
    return propose({.involution = true, .flips = Flips::noise, .volume = true, .local = true},
                   std::move(body), given...);
  }
  /// As above, with the given traits.
  template <class F, class... Given>
  Proposal propose(const Traits& traits, F body, const Given&... given) {
    return {add("propose", OperationKind::move, traits, std::move(body), given...,
                derived<edge::Proposed<edge::Position>>("theta*", dimension()))};
  }
  /// Declares that `metropolis` accepts a law that is known only through an estimate. Without this
  /// call, such a law is refused.
  void take_estimates(const EstimateSettings& settings);
  /// True if `metropolis` will use an estimate instead of U of this law. Call it after
  /// take_estimates.
  bool takes_estimate_of(Edge<edge::Law> law);
  /// Adds the next state: the proposal with probability min(1, exp(E - E*)), otherwise the old
  /// state. E is U of `law` plus the negative log densities of the auxiliaries. If the law is known
  /// only through an estimate, U is the estimate that is stored with the state, and a new estimate
  /// at the proposal. A second call in a transition throws WiringError.
  void metropolis(Edge<edge::Law> law, const Proposal& proposal);

  /// Records a statistic of the transition together with the draws.
  void record(const Statistic& what, Value value);
  template <class Key>
  [[deprecated("`add` already records these statistics. Delete this call.")]] void record(
      const WriteStatistics<Key>&, const WrittenStatistics<Key>&) {}
  /// Sets the acceptance probabilities from which the step size learns. `metropolis` does this
  /// itself.
  void learn_from(Value acceptance) { acceptance_ = acceptance; }
  /// Sets the path to the proposal, for a site that remembers this path (see
  /// SitePreconditioner::learn).
  void remember(Value path) { path_ = path; }

  /// Adds the operations that learn from the transition, and the records that every kernel has.
  /// Throws WiringError if the transition did not move its slot, or if a step size has nothing to
  /// learn from.
  void finish();

 private:
  /// Calls whose order matters.
  enum class Call : std::uint8_t {
    take_estimates,
    takes_estimate_of,
    law,
    preconditioner,
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
  /// Throws WiringError if a call is out of order.
  void check(Call call) const;
  /// As check, and remembers the call.
  void note(Call call);
  /// Records the statistics among the values that an operation wrote.
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
  std::optional<SitePreconditioner> preconditioner_;
  std::optional<StepSize> step_size_;
  std::optional<StepSchedule> schedule_;
  std::optional<StepCounts> steps_;
  std::optional<TrajectoryEdges> trajectory_;
  std::uint32_t calls_ = 0;  ///< calls made so far, one bit for each
  std::optional<Edge<edge::StepSize>> eps_;
  std::optional<EstimateSettings> estimates_;
};

/// A kernel whose transition is described through Transition. Derive from it and override
/// `transition`.
class MIXWELL_EXPORT TransitionKernel : public Kernel {
 public:
  void describe(KernelGraph& graph, const Site& site) const final;

 protected:
  /// Describes the transition: request from `t` what it needs, and end with a proposal or a move.
  virtual void transition(Transition& t) const = 0;
};

/// The keys of most kernels: `oracle`, `estimator`, `target_acceptance` and those of
/// StepSizeSettings.
struct MIXWELL_EXPORT TransitionParams {
  std::shared_ptr<const Oracle> oracle;
  std::shared_ptr<const Estimator> estimator;
  StepSizeSettings step_size{};

  /// The help of `estimator`: the role of H in the kernel.
  std::string about_estimator = "preconditioner H";
  /// As in StepSizeSettings::declare_with_target.
  std::string advice{};

  /// Declares the keys. If `learns_where` is given and true, a metric learnt in warmup replaces the
  /// identity (see Field::or_learnt).
  void declare(Fields& fields, std::function<bool()> learns_where = {});
  /// Throws ParameterError if the settings contradict one another.
  void check() const { step_size.check(); }
};

/// TransitionParams for kernels that also accept a density that is known only through an unbiased
/// estimate.
struct MIXWELL_EXPORT EstimatedTransitionParams : TransitionParams {
  EstimateSettings estimate{};

  void declare(Fields& fields);
};

}  // namespace mixwell
