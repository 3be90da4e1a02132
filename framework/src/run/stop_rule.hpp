// When a run has done enough before its last draw.
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

/// Looks at a run on a grid of sweeps that is fixed only by the settings, so that every rule but
/// that of seconds ends the run after the same sweep, whatever the machine, the threads or
/// interruptions. Looking at draws costs as much as a summary, so it is done at multiples of
/// `check_every` each at least a fifth further than the last: six times a summary in all.
class MIXWELL_INTERNAL StopRule {
 public:
  explicit StopRule(const StopSettings& settings) : settings_(settings) {}

  /// The sweep of the sampling phase after `done` before which the run need not stop.
  std::int64_t next_look(std::int64_t done) const;
  /// What ends the run, if anything: `gradients` since its start, and `seconds`, after any sweep.
  std::optional<EndedBy> met_by_cost(std::int64_t done, double gradients, double seconds) const;
  /// Whether to look at the draws after that sweep.
  bool looks_at_draws(std::int64_t done) const;
  /// Not as long as a variable cannot be judged: it is not good before it is known. Constants are
  /// left out. Throws Stopped on request.
  std::optional<EndedBy> met_by_draws(const DrawsFile& draws, const StopRequest* stop) const;

  /// Which variables kept a rule on draws from ending the run, and why.
  std::vector<std::string> remarks(const Summary& summary) const;

 private:
  bool is_set() const { return settings_.gradients || settings_.min_ess || settings_.mcse; }
  StopSettings settings_;
};

}  // namespace mixwell
