// The step size of a transition: fixed, jittered, or learnt in warm-up and then frozen; step sizes
// that fall with the number of the sweep.
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

/// What a manifest says about a step size.
struct MIXWELL_EXPORT StepSizeSettings {
  double step_size = 0.1;  ///< eps, or where learning starts
  /// If set, eps is learnt by dual averaging towards this mean acceptance probability.
  std::optional<double> target_acceptance;
  bool pool = false;                 ///< one learnt eps for all replicates
  bool freeze = true;                ///< learnt only in warm-up; else for ever
  std::optional<Interval> jitter{};  ///< each transition uses eps * U[a, b]

  /// Keys `step_size`, `pool`, `freeze` and `step_size_jitter`.
  void declare(Fields& fields);
  /// `target_acceptance` before them; `advice`: what it is good to aim at, "" for none.
  void declare_with_target(Fields& fields, const std::string& advice = "");
  /// Throws ParameterError where the settings contradict one another.
  void check() const;
  bool learns() const noexcept { return target_acceptance.has_value(); }
};

/// The Hamiltonian flow whose energy error tells a first step size.
struct FirstStep {
  std::shared_ptr<const Integrator> integrator;
  Coupling coupling = Coupling::none;
  Edge<edge::Law> law;
  Edge<edge::MomentumLaw> momentum_law;
  Edge<edge::Curvature> curvature;
};

/// The step size of one kernel in one graph. Call in the order of the sweep: the constructor,
/// `search` (if wanted), `draw`, then after the transition `learn`.
class MIXWELL_EXPORT StepSize {
 public:
  StepSize(KernelGraph& graph, const Site& site, const StepSizeSettings& settings);

  /// In warm-up, before the first transition and after each restart: doubles or halves eps until
  /// the acceptance probability of a single step crosses 0.8 (Hoffman & Gelman 2014, Algorithm 4),
  /// and starts dual averaging from there. One gradient a column and trial, 50 trials at most.
  void search(KernelGraph& graph, const Site& site, const FirstStep& first) const;
  bool learns() const noexcept { return settings_.learns(); }
  /// eps of this transition, 1 x w.
  Edge<edge::StepSize> draw(KernelGraph& graph, const Site& site) const;
  /// In warm-up: learns from the acceptance probabilities (1 x w); `with_curvature`: starts again
  /// whenever a window of a learnt curvature closes.
  void learn(KernelGraph& graph, const Site& site, Edge<edge::Acceptance> acceptance,
             bool with_curvature) const;

 private:
  bool learns_in(const Site& site) const noexcept {
    return settings_.learns() && site.phase == PhaseKind::warmup;
  }
  StepSizeSettings settings_;
  Variable learnt_{};
};

/// A parameter's declared interval: low <= high, and whole numbers if `whole`. Throws
/// ParameterError.
MIXWELL_EXPORT void check_interval(const char* key, const std::optional<Interval>& interval,
                                   bool whole);

/// eps_t for t = 1, 2, ..., a number that depends only on the sweep: to a certificate a constant.
struct MIXWELL_EXPORT StepSchedule {
  std::string schedule = "constant";
  double step_size = 0.01;  ///< a
  double offset = 0.0;      ///< b
  double exponent = 0.51;   ///< delta
  std::int64_t hold = 1;    ///< sweeps for which t stays the same

  /// `meaning` is the help of step_size: the step that eps is the size of. By default the Langevin
  /// step of this program's convention, with that of others beside it.
  void declare(Fields& fields, const std::string& meaning = langevin_step);
  /// The same without step_size, for kernels that have one already.
  void declare_shape(Fields& fields);
  bool is_constant() const noexcept { return schedule == "constant"; }

  static const std::string langevin_step;
  /// constant: a; polynomial: a (b + t)^-delta; power: (a / t)^delta, with t = 1 + sweep / hold.
  double at(std::uint64_t sweep) const;
  /// eps of this sweep, 1 x w.
  Edge<edge::StepSize> add(KernelGraph& graph, const std::string& path) const;
  /// Records eps (of `add`) as the statistic `weight`, unless it is the same in all sweeps: the
  /// average of f is sum eps_t f(theta_t) / sum eps_t (Simsekli et al. 2016, Eq. 12). For samplers;
  /// the way of an optimiser has no average.
  void record_weight(KernelGraph& graph, const Site& site, Edge<edge::StepSize> eps) const;

 private:
  void declare_kind(Fields& fields);
  void declare_numbers(Fields& fields);
};

}  // namespace mixwell
