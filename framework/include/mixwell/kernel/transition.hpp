// The class Transition, with which a kernel describes its transition of one slot.
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

/// U and grad U of a law at one position.
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
  Edge<edge::Momentum> p{};  ///< newest version of p, set by `refresh`
};

/// The value of an auxiliary variable at a proposal, and its law in the acceptance ratio.
struct ProposedAuxiliary {
  Variable variable;
  Edge<edge::Proposed<edge::Auxiliary>> end;
  Edge<edge::AuxiliaryLaw<edge::Here>> law;
  /// The law of the variable at the proposal. Set it if the law depends on the position. If it is
  /// not set, `law` is used.
  std::optional<Edge<edge::AuxiliaryLaw<edge::There>>> law_at_proposal{};
  /// Set this to true if the next sweep needs the variable. In this case, an accepted proposal sets
  /// the variable to `end`, and a rejection negates the variable's old value. This sign change is
  /// necessary to leave the joint law of position and variable invariant.
  bool carried = false;
};

/// A proposed position, with the other values that the Metropolis ratio needs.
struct Proposal {
  Edge<edge::Proposed<edge::Position>> theta;
  std::optional<EvaluationAt<edge::There>>
      at{};  ///< U and grad U of the law in the ratio; computed if missing
  std::vector<ProposedAuxiliary> auxiliaries{};
  /// If true, the error of the energy U + K is recorded, and the transition counts as diverged if
  /// this error is above 1000 nats or not finite.
  bool has_energy = false;
  /// True if the operation that makes the proposal already reports a divergence if U is not finite.
  bool reported = false;
  /// The trajectory from which a StepRule may learn. Set it only for a flow with the same
  /// preconditioner at both ends.
  std::optional<TrajectoryEdges> trajectory{};
};

/// Settings of a kernel for a density that is known only through an unbiased estimate.
struct MIXWELL_EXPORT EstimateSettings {
  /// The correlation rho in z* = rho z + sqrt(1 - rho^2) z', z' ~ N(0, I). The stored estimate uses
  /// the normals z, and the estimate at a proposal uses z*. With rho = 0, z* is independent of z.
  double correlation = 0.0;

  void declare(Fields& fields);
};

/// One transition of one slot. A Transition handles the parts that every kernel needs: the law and
/// its cached evaluation, the preconditioner, the step size, adaptation and recording.
/// TransitionKernel creates a Transition and finishes it. A call that comes too early, too late or
/// too often throws a WiringError with the kernel's name. The table of all calls is in
/// framework/src/kernel/transition_calls.cpp.
class MIXWELL_EXPORT Transition {
 public:
  Transition(KernelGraph& graph, const Site& site);

  KernelGraph& graph() const noexcept { return graph_; }
  const Site& site() const noexcept { return site_; }
  Index dimension() const { return graph_[site_.slot].rows; }
  /// Returns the path of the site, followed by a slash and `name`.
  std::string path(const std::string& name) const { return site_.path + "/" + name; }

  /// Returns theta, the newest version of the slot.
  Edge<edge::Position> position() const { return {graph_.current(site_.slot)}; }
  /// Adds new random numbers to the graph. Exactly one operation may read them.
  Edge<edge::Noise> noise(const std::string& name) { return {graph_.noise(path(name))}; }
  /// Adds the law exp(-U) of an oracle to the graph. `finish` adds the operations by which the
  /// oracle learns from the transition.
  Edge<edge::Law> law(std::shared_ptr<const Oracle> oracle);
  /// Returns U and grad U at the newest position. This costs one evaluation if they are not cached.
  EvaluationAt<edge::Here> evaluation(Edge<edge::Law> law);
  /// The oracle that was passed to `law`, or null before that call.
  const Oracle* oracle() const noexcept { return oracle_.get(); }
  /// The target density of the slot, regardless of the oracle.
  Edge<edge::Law> target() const { return {site_.target}; }
  /// Adds the preconditioner H to the graph, in its version from before this transition. `of` is
  /// the law whose gradient is in the drift of the steps. Pass `of` only if this drift includes the
  /// correction Gamma. Without `of`, an estimator that is an OwnPreconditioner is refused.
  Edge<edge::Preconditioner> preconditioner(std::shared_ptr<const Estimator> estimator,
                                            std::optional<Edge<edge::Law>> of = {});
  [[deprecated("renamed to preconditioner")]] Edge<edge::Preconditioner> curvature(
      std::shared_ptr<const Estimator> estimator, std::optional<Edge<edge::Law>> of = {}) {
    return preconditioner(std::move(estimator), of);
  }
  /// The drift correction Gamma, if the preconditioner has one.
  std::optional<Edge<edge::DriftCorrection>> drift_correction() const;
  /// Adds the step size eps of this transition. `finish` adds the adaptation of eps. If `first` is
  /// set, warmup begins with a search for an initial eps.
  Edge<edge::StepSize> step_size(const StepSizeSettings& settings,
                                 const std::optional<FirstStep>& first = {});
  Edge<edge::StepSize> step_size(const StepSchedule& schedule);
  /// Adds the number of steps L of this transition. `finish` records L as n_steps and adds the
  /// adaptation of L. If a StepRule draws L, call this function after `step_size`.
  Edge<edge::StepCount> steps(const Steps& settings);
  /// Adds a momentum p ~ N(0, M), where `coupling` and H determine M. `refresh` draws p. H is the
  /// result of `preconditioner`, or another value whose ValueInfo::function is a Representation.
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
  /// newest version. The class of the law must have
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

  /// Adds an operation to this transition (see `add_operation`), and records the statistics that
  /// the operation writes.
  template <class F, class... Given>
  auto add(const std::string& name, OperationKind kind, const Traits& traits, F body,
           const Given&... given) {
    auto written = add_operation(graph_, path(name), kind, traits, std::move(body), given...);
    record_statistics(written);
    return written;
  }
  /// A derived value that an operation writes, with `rows` entries in each column.
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

  /// Proposes the theta* that the function `body` writes to its last parameter, an
  /// edge::ProposedPosition. If all other inputs are fixed, theta* must be linear in theta and in
  /// the normals that `body` draws, and the map from theta to theta* must preserve volume. With
  /// negated normals, this map must lead from theta* back to theta (Traits::involution with
  /// Flips::noise). Use this function for steps with the same density in both directions. It
  /// declares the trait `local`: the step vanishes with eps.
  template <class F, class... Given>
  Proposal propose_symmetric(F body, const Given&... given) {
    return propose({.involution = true, .flips = Flips::noise, .volume = true, .local = true},
                   std::move(body), given...);
  }
  /// Proposes theta* like `propose_symmetric`, but with the given traits.
  template <class F, class... Given>
  Proposal propose(const Traits& traits, F body, const Given&... given) {
    return {add("propose", OperationKind::move, traits, std::move(body), given...,
                derived<edge::Proposed<edge::Position>>("theta*", dimension()))};
  }
  /// Declares that `metropolis` accepts a law that is known only through an estimate. Without this
  /// call, such a law is refused.
  void take_estimates(const EstimateSettings& settings);
  /// True if `metropolis` will use an estimate of this law's U instead of the exact U. Call this
  /// function after `take_estimates`.
  bool takes_estimate_of(Edge<edge::Law> law);
  /// Adds the next state: the proposal with probability min(1, exp(E - E*)), otherwise the old
  /// state. E is U of `law` minus the log densities of the auxiliaries, at the old state. E* is
  /// this expression at the proposal. If the law is known only through an estimate, U at the old
  /// state is the stored estimate, and U at the proposal is a new one. A second call throws
  /// WiringError.
  void metropolis(Edge<edge::Law> law, const Proposal& proposal);

  /// Records a statistic of the transition together with the draws.
  void record(const Statistic& what, Value value);
  template <class Key>
  [[deprecated("`add` already records these statistics. Delete this call.")]] void record(
      const WriteStatistics<Key>&, const WrittenStatistics<Key>&) {}
  /// Sets the acceptance probabilities to which the step size adapts. A transition with
  /// `metropolis` does not need this call.
  void learn_from(Value acceptance) { acceptance_ = acceptance; }
  /// Sets the path: the points of the trajectory that leads to the proposal (see path_rows). The
  /// site's preconditioner may learn from this path (see SitePreconditioner::learn).
  void remember(Value path) { path_ = path; }

  /// Adds the operations that learn from the transition. Records the step size, the number of
  /// steps, the weight and the learnt preconditioner of the transition, if it has them. Throws
  /// WiringError if the transition does not move its slot, or if an adapted step size has no
  /// acceptance probabilities.
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
  /// Checks the call, and then remembers it.
  void note(Call call);
  /// Records the statistics that `add_operation` returned, and ignores its other results.
  template <class Key>
  void record_statistics(const WrittenStatistics<Key>& written) {
    for (const StatisticRow<Key>& row : written.table) record(row.what, written[row.key]);
  }
  template <class... Written>
  void record_statistics(const std::tuple<Written...>& all) {
    std::apply([this](const auto&... one) { (this->record_statistics(one), ...); }, all);
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

/// A kernel that describes its transition with a Transition. Derive from it and override
/// `transition`.
class MIXWELL_EXPORT TransitionKernel : public Kernel {
 public:
  void describe(KernelGraph& graph, const Site& site) const final;

 protected:
  /// Describes the transition by calling functions of `t`. One of these calls must add the next
  /// state.
  virtual void transition(Transition& t) const = 0;
};

/// The keys of most kernels: `oracle`, `estimator`, `target_acceptance` and those of
/// StepSizeSettings.
struct MIXWELL_EXPORT TransitionParams {
  std::shared_ptr<const Oracle> oracle;
  std::shared_ptr<const Estimator> estimator;
  StepSizeSettings step_size{};

  /// The help text of `estimator`. It says how the kernel uses the preconditioner H.
  std::string about_estimator = "preconditioner H";
  /// The advice for StepSizeSettings::declare_with_target.
  std::string advice{};

  /// Declares the keys. The default of `estimator` is the identity. If `learns_where` returns true,
  /// the default is a preconditioner that is learnt in warmup (see Field::or_learnt).
  void declare(Fields& fields, std::function<bool()> learns_where = {});
  /// Throws ParameterError if the settings contradict each other.
  void check() const { step_size.check(); }
};

/// TransitionParams for kernels that also accept an unbiased estimate of a density.
struct MIXWELL_EXPORT EstimatedTransitionParams : TransitionParams {
  EstimateSettings estimate{};

  void declare(Fields& fields);
};

}  // namespace mixwell
