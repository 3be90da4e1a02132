// Tests the certificate of a composition with draws.
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

/// Settings of `verify`.
struct VerifySettings {
  /// Names of targets. Empty means all that can be composed.
  std::vector<std::string> targets = {};
  double budget = 4e7;       ///< gradients for all targets together; most of them are used
  double alpha = 1e-3;       ///< probability that a composition without bias is called biased
  double max_seconds = 0.0;  ///< 0 = no limit; if reached, the outcome is inconclusive
  const StopRequest* stop = nullptr;  ///< a request makes the outcome inconclusive
  /// Called once, after a short timing, with the number of seconds that the budget may take.
  std::function<void(double)> expects{};
};

/// One statistic on one target. All failed statistics are listed. If none failed, the statistic
/// with the largest deviation is listed.
struct VerifiedStatistic {
  std::string name;
  std::string target;
  bool failed = false;
  double z = 0.0;  ///< EquilibriumStatistic::z
  double p = 1.0;
};

/// The error of one statistic at one step size, in standard deviations of the statistic under the
/// target.
struct VerifiedRung {
  double step_factor = 1.0;
  double bias = 0.0;
  double error = 0.0;
  double ratio = 0.0;  ///< previous bias divided by this one, tends to 2^order; 0 on the first rung
  double ratio_error = 0.0;
};

/// The result on one target.
struct VerifiedTarget {
  std::string name;
  std::string skipped;        ///< why it was not tested, or empty
  bool redraws_data = false;  ///< data are drawn given the start positions, so these are exact
  double step_factor = 1.0;   ///< factor for step sizes that gives good moves on this target
  std::int64_t sweeps = 0;
  double moved = 0.0;         ///< Equilibrium::moved
  double acceptance = 0.0;    ///< Equilibrium::acceptance
  double visible_bias = 0.0;  ///< smallest shift that would be detected, in standard deviations
  /// The long comparison with few replicates: number of sweeps, and visible bias. 0 if there was
  /// none.
  std::int64_t long_sweeps = 0;
  double long_visible_bias = 0.0;
  /// For compositions without a Metropolis decision: the errors of `statistic` as eps decreases,
  /// and their limit.
  std::vector<VerifiedRung> rungs{};
  std::string statistic{};
  double limit = 0.0;
  /// True if `limit` is the growth of the second rung's error when the time is tripled.
  bool drifts = false;
};

/// The test of one operation separately, on generated numbers.
struct VerifiedOperation {
  std::string operation;
  std::string trait;  ///< the tested trait: "keeps_law", "a(r) = r a(1/r)", "involution", "volume"
  std::string what;   ///< the statistic, or what was found
  double z = 0.0;
  double p = 1.0;  ///< 0 or 1 for involution and volume, which are not statistics
  bool failed = false;
  /// The reason why the operation cannot be tested separately, or empty. The test of the whole
  /// composition still covers the operation.
  std::string untested{};
};

/// The test on one target with replicates that start 1.5 times as far from the mean as exact draws.
struct VerifiedArrival {
  std::string target{};  ///< empty: not tested
  double left = 0.0;     ///< remaining share of the excess in squared distance from the mean
  std::int64_t sweeps = 0;
  /// False if over a fifth of the excess remains and more sweeps do not reduce it.
  bool arrives = true;
};

/// The result of `verify`.
struct Verification {
  Certificate certificate;
  /// exact, asymptotic, adaptive, approximate, biased, or untested
  std::string tested;
  bool agrees = false;
  bool conclusive = false;
  /// True if the composition moves on its model (or on all targets, if its model cannot be tested)
  /// and if replicates arrive.
  bool mobile = true;
  VerifiedArrival arrival;
  double smallest_visible_bias = 0.0;  ///< largest visible_bias over targets
  double gradients = 0.0;
  double looks = 0.0;  ///< number of statistics, each counted once for each check
  /// Smallest p of all checks, each adjusted for the number of checks. Some check failed if this p
  /// is below alpha. For a correct composition, this p is below x with probability at most x.
  double adjusted_p = 1.0;
  std::vector<VerifiedTarget> targets;
  std::vector<VerifiedStatistic> tests;
  std::vector<VerifiedOperation> operations;
  std::vector<VerifiedOperation> untested;  ///< operations that cannot be tested separately
  std::vector<std::string> remarks;
};

/// Names of the targets that `verify` knows. "own" is the composition's model, if it has exact
/// draws.
inline constexpr std::array verify_target_names = {"own",       "quartic",     "double-well",
                                                   "banana",    "quartic-1",   "gaussian-10",
                                                   "student-t", "narrow-mode", "gaussian-100"};
MIXWELL_EXPORT std::vector<std::string> verify_targets();

/// Tests a composition. It replaces the model by each target in turn, starts replicates from exact
/// draws, and checks after 1, 2, 4, ... sweeps whether the replicates are still distributed as the
/// target (Equilibrium). All checks, targets and statistics share one alpha. Before the targets, it
/// tests single operations. The first target that fails ends the test. A failing operation does not
/// end it. The outcome depends only on composition, seed, budget and alpha. A composition without a
/// Metropolis decision has an error at every step size. Its error is observed as eps decreases at a
/// fixed integration time, on targets with Lipschitz gradients. Throws InputError if a target is
/// unknown.
MIXWELL_EXPORT Verification verify(const Composition& composition, const std::string& path,
                                   const Registry& registry, const VerifySettings& settings);

}  // namespace mixwell
