// Uses draws to test the certificate of a composition.
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
  /// Names of targets. Empty means all targets that fit the composition.
  std::vector<std::string> targets = {};
  double budget = 4e7;       ///< gradients for all targets together (the test uses most of them)
  double alpha = 1e-3;       ///< probability that a composition without bias is reported as biased
  double max_seconds = 0.0;  ///< 0 = no limit. Reaching the limit makes the outcome inconclusive
  const StopRequest* stop = nullptr;  ///< a request to stop makes the outcome inconclusive
  /// Called once, after a short timing run, with the estimated duration of the test in seconds.
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
  /// Bias at the previous step size / bias at this one. Tends to 2^order. 0 at the first step size.
  double ratio = 0.0;
  double ratio_error = 0.0;
};

/// The result on one target.
struct VerifiedTarget {
  std::string name;
  std::string skipped;  ///< why the target was not tested, or empty
  /// True if each start has its own data, drawn given the start. The start is then an exact draw
  /// from the posterior of these data.
  bool redraws_data = false;
  double step_factor = 1.0;  ///< factor for step sizes that gives good moves on this target
  std::int64_t sweeps = 0;
  double moved = 0.0;         ///< Equilibrium::moved
  double acceptance = 0.0;    ///< Equilibrium::acceptance
  double visible_bias = 0.0;  ///< smallest shift that would be detected, in standard deviations
  /// Sweeps and visible bias of the long comparison (Equilibrium::follow) with few replicates. Both
  /// are 0 if there was no such comparison.
  std::int64_t long_sweeps = 0;
  double long_visible_bias = 0.0;
  /// The errors of `statistic` as eps decreases, and their limit, for compositions without a
  /// Metropolis decision.
  std::vector<VerifiedRung> rungs{};
  std::string statistic{};
  double limit = 0.0;
  /// True if `limit` is instead the growth of the error at the second step size when the
  /// integration time is tripled.
  bool drifts = false;
};

/// The separate test of one operation, on inputs that the test chooses.
struct VerifiedOperation {
  std::string operation;
  std::string trait;  ///< the tested trait: "keeps_law", "a(r) = r a(1/r)", "involution", "volume"
  std::string what;   ///< the statistic, or the share of columns with a fault
  double z = 0.0;
  double p = 1.0;  ///< 0 or 1 for involution and volume, whose checks are not statistical
  bool failed = false;
  /// The reason why the operation cannot be tested separately, or empty. The test of the whole
  /// composition still covers the operation.
  std::string untested{};
};

/// The test on one target with replicates that start 1.5 times as far from the mean as exact draws.
struct VerifiedArrival {
  std::string target{};  ///< empty if there was no such test
  double left = 0.0;     ///< excess squared distance from the mean, at the end / at the start
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
  /// True if the chains move and `arrival` shows that they return from starts far from the mean.
  /// They must move on the composition's own model or, if this model cannot be tested,
  /// on all targets.
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

/// Names of the targets of `verify`. "own" is the composition's model, if Mixwell can make exact
/// draws for it.
inline constexpr std::array verify_target_names = {"own",       "quartic",     "double-well",
                                                   "banana",    "quartic-1",   "gaussian-10",
                                                   "student-t", "narrow-mode", "gaussian-100"};
MIXWELL_EXPORT std::vector<std::string> verify_targets();

/// Tests a composition. The test replaces the model with each target in turn, and starts replicates
/// from exact draws. After 1, 2, 4, ... sweeps, it checks whether the replicates still have the
/// target distribution (see Equilibrium). All checks, targets and statistics share one alpha. The
/// test begins with single operations. It ends at the first target on which the composition fails,
/// but it continues if an operation fails. The outcome depends only on composition, seed, budget
/// and alpha. A composition without a Metropolis decision has an error at every step size. The test
/// measures this error as eps decreases at a fixed integration time, on targets with Lipschitz
/// gradients. Throws InputError if a target is unknown.
MIXWELL_EXPORT Verification verify(const Composition& composition, const std::string& path,
                                   const Registry& registry, const VerifySettings& settings);

}  // namespace mixwell
