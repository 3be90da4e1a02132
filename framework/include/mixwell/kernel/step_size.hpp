// The step size of a transition: fixed, jittered, learnt in warmup, or decreasing with the number
// of the sweep.
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
  double step_size = 0.1;  ///< eps, or the start of learning
  /// If set, dual averaging adapts eps to this mean acceptance probability.
  std::optional<double> target_acceptance;
  bool pool = false;                 ///< learn one eps for all replicates
  bool freeze = true;                ///< learn only in warmup; if false, learn for ever
  std::optional<Interval> jitter{};  ///< each transition uses eps * U[a, b]

  /// Declares the keys `step_size`, `pool`, `freeze` and `step_size_jitter`.
  void declare(Fields& fields);
  /// Declares `target_acceptance` before these keys. `advice` names a good value, or is "".
  void declare_with_target(Fields& fields, const std::string& advice = "");
  /// Throws ParameterError if the settings contradict one another.
  void check() const;
  bool learns() const noexcept { return target_acceptance.has_value(); }
};

/// The Hamiltonian flow whose energy error determines the first step size.
struct FirstStep {
  std::shared_ptr<const Integrator> integrator;
  Coupling coupling = Coupling::none;
  Edge<edge::Law> law;
  Edge<edge::MomentumLaw> momentum_law;
  Edge<edge::Preconditioner> preconditioner;
};

/// The step size of one kernel in one graph. Call in the order of the sweep: the constructor,
/// `search` (if wanted) and `draw`; then, after the transition, `learn`.
class MIXWELL_EXPORT StepSize {
 public:
  StepSize(KernelGraph& graph, const Site& site, const StepSizeSettings& settings);

  /// In warmup, before the first transition and after each restart, doubles or halves eps until the
  /// acceptance probability of a single step crosses 0.8 (Hoffman & Gelman 2014, Algorithm 4). Dual
  /// averaging starts from this eps. Cost: one gradient for each column and trial, and at most 50
  /// trials.
  void search(KernelGraph& graph, const Site& site, const FirstStep& first) const;
  bool learns() const noexcept { return settings_.learns(); }
  /// eps of this transition, 1 x w.
  Edge<edge::StepSize> draw(KernelGraph& graph, const Site& site) const;
  /// In warmup, learns from the acceptance probabilities (1 x w). With `with_preconditioner`,
  /// learning restarts at the end of each window of a learnt preconditioner.
  void learn(KernelGraph& graph, const Site& site, Edge<edge::Acceptance> acceptance,
             bool with_preconditioner) const;

 private:
  bool learns_in(const Site& site) const noexcept {
    return settings_.learns() && site.phase == PhaseKind::warmup;
  }
  StepSizeSettings settings_;
  Variable learnt_{};
};

/// Checks the declared interval of a parameter: low <= high, and whole numbers if `whole`. Throws
/// ParameterError.
MIXWELL_EXPORT void check_interval(const char* key, const std::optional<Interval>& interval,
                                   bool whole);

/// eps_t for t = 1, 2, .... It depends only on the number of the sweep, so the certificate treats
/// it as a constant.
struct MIXWELL_EXPORT StepSchedule {
  std::string schedule = "constant";
  double step_size = 0.01;  ///< a
  double offset = 0.0;      ///< b
  double exponent = 0.51;   ///< delta
  std::int64_t hold = 1;    ///< sweeps for which t stays the same

  /// Declares the keys. `meaning` is the help of step_size. It explains which step has the size
  /// eps. The default text describes the Langevin step in Mixwell's convention and in others.
  void declare(Fields& fields, const std::string& meaning = langevin_step);
  /// As declare, without step_size. Use this for kernels that already have this key.
  void declare_shape(Fields& fields);
  bool is_constant() const noexcept { return schedule == "constant"; }

  static const std::string langevin_step;
  /// eps of a sweep. constant: a; polynomial: a (b + t)^-delta; power: (a / t)^delta, with t = 1 +
  /// sweep / hold.
  double at(std::uint64_t sweep) const;
  /// Adds eps of the sweep, 1 x w.
  Edge<edge::StepSize> add(KernelGraph& graph, const std::string& path) const;
  /// Records eps (from `add`) as the statistic `weight`, unless it is the same in all sweeps. The
  /// average of f is then sum eps_t f(theta_t) / sum eps_t (Simsekli et al. 2016, Eq. 12). Use this
  /// only for samplers, because the path of an optimiser has no average.
  void record_weight(KernelGraph& graph, const Site& site, Edge<edge::StepSize> eps) const;

 private:
  void declare_kind(Fields& fields);
  void declare_numbers(Fields& fields);
};

}  // namespace mixwell
