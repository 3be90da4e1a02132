// A composition's certificate put to the test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/manifest.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/stop_request.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mixwell {

struct VerifySettings {
  /// Names of targets; empty = all that can be composed.
  std::vector<std::string> targets = {};
  double budget = 4e7;                ///< gradients over all targets, of which it spends most
  double alpha = 1e-3;                ///< chance that a composition that keeps pi is called biased
  double max_seconds = 0.0;           ///< 0 = no limit; stopped by it, the outcome is inconclusive
  const StopRequest* stop = nullptr;  ///< made, the same
  /// Told once, after a short timing, how many seconds the budget may take.
  std::function<void(double)> expects{};
};

/// One statistic on one target: all that failed, and where none did the farthest off.
struct VerifiedStatistic {
  std::string name;
  std::string target;
  bool failed = false;
  double z = 0.0;  ///< EquilibriumStatistic::z
  double p = 1.0;
};

/// The error of one statistic at one step size, in standard deviations of it under the target.
struct VerifiedRung {
  double step_factor = 1.0;
  double bias = 0.0;
  double error = 0.0;
  double ratio = 0.0;  ///< the bias before over this one: tends to 2^order; 0 on the first rung
  double ratio_error = 0.0;
};

/// What happened on one target.
struct VerifiedTarget {
  std::string name;
  std::string skipped;        ///< why it was not tested, or empty
  bool redraws_data = false;  ///< starts are exact because data were drawn with them
  double step_factor = 1.0;   ///< by which step sizes were multiplied, to move well there
  std::int64_t sweeps = 0;
  double moved = 0.0;         ///< Equilibrium::moved
  double acceptance = 0.0;    ///< Equilibrium::acceptance
  double visible_bias = 0.0;  ///< smallest shift that would have been seen, in standard deviations
  /// Of the long look: few replicates, so many sweeps; 0 where there was none.
  std::int64_t long_sweeps = 0;
  double long_visible_bias = 0.0;
  /// Without Metropolis: the errors of `statistic` as eps falls, and what they tend to.
  std::vector<VerifiedRung> rungs{};
  std::string statistic{};
  double limit = 0.0;
  bool drifts =
      false;  ///< `limit` is what the error of the second rung grows by in thrice the time
};

/// One operation by itself, on numbers of its own.
struct VerifiedOperation {
  std::string operation;
  std::string trait;  ///< what it tests: "keeps_law", "a(r) = r a(1/r)", "involution", "volume"
  std::string what;   ///< the statistic, or what was found
  double z = 0.0;
  double p = 1.0;  ///< 0 or 1 of what is no statistic: involution, volume
  bool failed = false;
  /// Why it cannot be tested by itself, or empty; the test as a whole still covers it.
  std::string untested{};
};

/// Replicates that start half as far out again as exact draws, on one target.
struct VerifiedArrival {
  std::string target{};  ///< empty: not tried
  double left = 0.0;     ///< of the excess of their mean squared distance from the mean, as a share
  std::int64_t sweeps = 0;
  bool arrives = true;  ///< false: more than a fifth is left, and more sweeps take nothing off
};

struct Verification {
  Certificate certificate;
  /// exact, asymptotic, adaptive, approximate, biased, or untested
  std::string tested;
  bool agrees = false;
  bool conclusive = false;
  /// It moves on its own model, or where that cannot be tested on all targets, and arrives.
  bool mobile = true;
  VerifiedArrival arrival;
  double smallest_visible_bias = 0.0;  ///< largest over targets of visible_bias
  double gradients = 0.0;
  double looks = 0.0;  ///< statistics, each counted as often as it was looked at
  /// Smallest p of all looks, each adjusted for their number: below alpha something failed. Of a
  /// right composition it is below x with probability at most x.
  double adjusted_p = 1.0;
  std::vector<VerifiedTarget> targets;
  std::vector<VerifiedStatistic> tests;
  std::vector<VerifiedOperation> operations;
  std::vector<VerifiedOperation> untested;  ///< operations that cannot be tested by themselves
  std::vector<std::string> remarks;
};

/// Names of the targets that `verify` knows; "own" is the composition's model, where it has exact
/// draws.
inline constexpr std::array verify_target_names = {"own",       "quartic",     "double-well",
                                                   "banana",    "quartic-1",   "gaussian-10",
                                                   "student-t", "narrow-mode", "gaussian-100"};
MIXWELL_EXPORT std::vector<std::string> verify_targets();

/// Puts each target instead of the composition's model, starts replicates from exact draws,
/// and looks after 1, 2, 4, ... sweeps whether they are still distributed as the target
/// (Equilibrium), with one alpha for all looks, targets and statistics. Before that it tests single
/// operations. The first target that fails ends the test; a failing operation does not.
/// The outcome depends only on composition, seed, budget and alpha. A composition without
/// Metropolis is off at every step size; its error is followed as eps falls at a fixed integration
/// time, on targets whose gradients are Lipschitz. Throws InputError for an unknown target.
MIXWELL_EXPORT Verification verify(const Composition& composition, const std::string& path,
                                   const Registry& registry, const VerifySettings& settings);

}  // namespace mixwell
