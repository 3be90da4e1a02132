// Decides whether a stop rule ends a run early.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/summary.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// Checks a run on a grid of sweeps that depends only on the settings. So every rule except the
/// time limit ends the run after the same sweep, on any machine, with any threads, and after any
/// interruption. A check of the draws costs as much as a summary. So the draws are checked only at
/// multiples of `check_every`, and each check is at least a fifth later than the last. All checks
/// together cost about six summaries.
class MIXWELL_INTERNAL StopRule {
 public:
  explicit StopRule(const StopSettings& settings) : settings_(settings) {}

  /// The first sweep of the sampling phase after `done` at which the run may stop.
  std::int64_t next_look(std::int64_t done) const;
  /// The rule that ends the run, if any. `gradients` counts since the start of the run. `seconds`
  /// may end the run after any sweep.
  std::optional<EndedBy> met_by_cost(std::int64_t done, double gradients, double seconds) const;
  /// Whether to check the draws after sweep `done`.
  bool looks_at_draws(std::int64_t done) const;
  /// The rule that the draws satisfy, if any. No rule is satisfied while a variable cannot be
  /// judged, because its precision is unknown. Constants are ignored. Throws Stopped on request.
  std::optional<EndedBy> met_by_draws(const DrawsFile& draws, const StopRequest* stop) const;

  /// The variables that prevented a rule on draws from ending the run, each with the reason.
  std::vector<std::string> remarks(const Summary& summary) const;

 private:
  bool is_set() const { return settings_.gradients || settings_.min_ess || settings_.mcse; }
  StopSettings settings_;
};

}  // namespace mixwell
