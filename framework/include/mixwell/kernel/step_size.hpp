// The step size of a transition: fixed, jittered, adapted in warmup, or on a fixed schedule.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/component/fields.hpp>
#include <mixwell/graph/edge.hpp>
#include <mixwell/integrator.hpp>
#include <mixwell/kernel.hpp>
#include <mixwell/kernel/learner.hpp>
#include <mixwell/kernel/momentum.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace mixwell {

/// The settings of a step size in a manifest.
struct MIXWELL_EXPORT StepSizeSettings {
  double step_size = 0.1;  ///< eps, or its initial value if it is adapted
  /// If set, dual averaging adapts eps to this mean acceptance probability.
  std::optional<double> target_acceptance;
  bool pool = false;                 ///< adapt one eps for all replicates
  bool freeze = true;                ///< adapt eps only in warmup; if false, in sampling too
  std::optional<Interval> jitter{};  ///< multiply eps by a uniform random number from [a, b]

  /// Declares the keys `step_size`, `pool`, `freeze` and `step_size_jitter`.
  void declare(Fields& fields);
  /// Declares `target_acceptance` and then the same keys as `declare`. The help text of
  /// `target_acceptance` ends with `advice`.
  void declare_with_target(Fields& fields, const std::string& advice = "");
  /// Throws ParameterError if the settings contradict each other.
  void check() const;
  bool learns() const noexcept { return target_acceptance.has_value(); }
};

/// The Hamiltonian flow whose energy error determines the initial step size.
struct FirstStep {
  std::shared_ptr<const Integrator> integrator;
  Coupling coupling = Coupling::none;
  Edge<edge::Law> law;
  Edge<edge::MomentumLaw> momentum_law;
  Edge<edge::Preconditioner> preconditioner;
};

/// The step size of one kernel in one graph. Call its functions in this order: the constructor,
/// `search` (optional), `draw` and, after the transition, `learn`.
class MIXWELL_EXPORT StepSize {
 public:
  StepSize(KernelGraph& graph, const Site& site, const StepSizeSettings& settings);

  /// Makes warmup search for the initial eps. The search runs before the first transition and
  /// after each restart of the adaptation. It doubles or halves eps until the acceptance
  /// probability of a single step crosses 0.8 (Hoffman & Gelman 2014, Algorithm 4). Dual averaging
  /// starts from this eps. Cost: at most 50 trials, each with one gradient for each column.
  void search(KernelGraph& graph, const Site& site, const FirstStep& first) const;
  bool learns() const noexcept { return settings_.learns(); }
  /// Adds the step size eps of this transition to the graph, with one value for each column.
  Edge<edge::StepSize> draw(KernelGraph& graph, const Site& site) const;
  /// Adapts eps to the acceptance probabilities in warmup, and also after warmup if `freeze` is
  /// false. If `with_preconditioner` is true, adaptation restarts at the end of each window.
  void learn(KernelGraph& graph, const Site& site, Edge<edge::Acceptance> acceptance,
             bool with_preconditioner) const;

 private:
  bool learns_in(const Site& site) const noexcept {
    return settings_.learns() && site.phase == PhaseKind::warmup;
  }
  StepSizeSettings settings_;
  Variable learnt_{};
};

/// Throws ParameterError if low > high, or if `whole` is true and low or high is not a whole
/// number.
MIXWELL_EXPORT void check_interval(const char* key, const std::optional<Interval>& interval,
                                   bool whole);

/// A fixed schedule of step sizes eps_t, t = 1, 2, .... Each eps_t depends only on the number of
/// the sweep, so the certificate treats it as a constant.
struct MIXWELL_EXPORT StepSchedule {
  std::string schedule = "constant";
  double step_size = 0.01;  ///< a
  double offset = 0.0;      ///< b
  double exponent = 0.51;   ///< delta
  std::int64_t hold = 1;    ///< number of sweeps with the same t

  /// Declares the keys. `meaning` is the help text of step_size and explains which step has the
  /// size eps. The default text gives the formula of the Langevin step.
  void declare(Fields& fields, const std::string& meaning = langevin_step);
  /// Declares all keys except step_size, for kernels that already have that key.
  void declare_shape(Fields& fields);
  bool is_constant() const noexcept { return schedule == "constant"; }

  static const std::string langevin_step;
  /// Returns eps of a sweep: a (constant), a (b + t)^-delta (polynomial) or (a / t)^delta (power),
  /// with t = 1 + sweep / hold.
  double at(std::uint64_t sweep) const;
  /// Adds the step size eps of the sweep to the graph. It is the same in all columns.
  Edge<edge::StepSize> add(KernelGraph& graph, const std::string& path) const;
  /// Records `eps`, the result of `add`, as the statistic `weight`, unless the schedule is
  /// constant. The weighted average of f is sum eps_t f(theta_t) / sum eps_t (Simsekli et al. 2016,
  /// Eq. 12). Use this only for samplers, because an average over the path of an optimiser has no
  /// meaning.
  void record_weight(KernelGraph& graph, const Site& site, Edge<edge::StepSize> eps) const;

 private:
  void declare_kind(Fields& fields);
  void declare_numbers(Fields& fields);
};

}  // namespace mixwell
