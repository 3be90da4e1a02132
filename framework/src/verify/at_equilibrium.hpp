// Tests a composition on one target: invariance, movement, and convergence from distant starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/target.hpp"

#include <mixwell/lab/verify.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mixwell {

/// A chain stands still if its jump distance in `sweeps_to_stand_still` sweeps is below this share
/// of a variance.
inline constexpr double still_distance = 0.02;
inline constexpr std::int64_t sweeps_to_stand_still = 128;

struct EquilibriumTest {
  std::string target;
  bool fixed_steps = false;  ///< keep the step sizes of the manifest
  std::int64_t warmup = 0;
  bool adaptive = false;     ///< the composition still learns while it is tested
  bool learnt_laws = false;  ///< the densities cost much, so few replicates are used
  double budget = 1e6;       ///< in gradients
  double alpha = 1e-3;       ///< alpha of this target
  std::int64_t seed = 1;
  /// Called from several threads. Once it returns true, the running function throws Stopped or
  /// returns the results so far.
  std::function<bool()> late;
};

struct EquilibriumOutcome {
  VerifiedTarget seen;
  std::vector<VerifiedStatistic>
      tests;  ///< all that failed; if none failed, the one with the smallest p
  bool biased = false;
  double largest_shift = 0.0;  ///< largest shift of a mean, in standard deviations of its statistic
  double adjusted_p = 1.0;     ///< smallest p of all checks times the number of checks
  double looks = 0.0;          ///< total number of checks of statistics
  double gradients = 0.0;
  bool tells = false;  ///< ladder: a limit of half the first rung's error would be detected
  std::string remark;  ///< the jump distance, if follow_up() recorded it

  void add(VerifiedStatistic statistic);
};

/// Checks after 1, 2, 4, ..., at most 128 sweeps. Makes at least 4 sweeps, even if they exceed the
/// budget. Multiplies the step sizes by the factor with which a trial run has the largest jump
/// distance. If a chain hardly moved in fewer than 128 sweeps, a few replicates run for 128 sweeps
/// before the chain is said to stand still. Throws InputError if the target cannot be composed or
/// has no draws.
EquilibriumOutcome test_at_equilibrium(const VerifyTargets& targets, const EquilibriumTest& test);

/// Whether the target needs calibrate(). This is so if neither the model nor a grid can draw from
/// the posterior, but the model can draw from its prior and can draw data given the parameters.
bool is_calibrated(const Model& model);

/// Simulation-based calibration from an exact start. For each of 256 to 1024 data sets: draw theta
/// from the prior and data given theta, compose on these data (with warmup if the composition
/// learns), move the slot to theta (an exact draw of the posterior of these data), and run 1, 4 and
/// 16 sweeps. Over all data sets, every statistic of theta and data must have the same distribution
/// after the sweeps as before. The statistics are coordinates, entries of grad U (at most 16 of
/// each), U and theta' grad U. The test compares the ranks of the statistics and the spread of the
/// ranks. `budget` counts a gradient over N cases as max(1, N / 1000). Throws InputError if the
/// composition has several slots, because each slot needs its own draw of the same posterior. Also
/// throws InputError if the budget is not enough for 256 data sets.
EquilibriumOutcome calibrate(const VerifyTargets& targets, const Model& model,
                             const EquilibriumTest& test);

/// A long check: compares averages over many sweeps of few replicates (Equilibrium::follow). Runs
/// 4096 sweeps of 253 replicates, or as many sweeps as the budget allows, and records every 1 to 4
/// sweeps. A gradient over N cases counts as at least N / 1000, and as at least d^2 / 100. Throws
/// InputError if the budget allows fewer than 512 sweeps.
EquilibriumOutcome look_long(const VerifyTargets& targets, const EquilibriumTest& test,
                             double step_factor);

/// The factor of the manifest's step sizes with the largest jump distance in two sweeps. The
/// stationary distribution does not depend on the step sizes, but the power of a test does. Adds
/// the cost of the search to `gradients`.
double best_factor(const VerifyTargets& targets, const EquilibriumTest& test, double& gradients);

/// Records the jump distance `moved` in 128 sweeps of a chain that hardly moved during its test.
/// Writes it to seen.moved and to a remark.
void follow_up(double moved, EquilibriumOutcome& out);

/// The outcome of starts that are 1.5 times as far from the mean as exact draws.
struct Arrival {
  double left = 0.0;     ///< remaining share of the initial excess of the spread
  bool stalled = false;  ///< more than a fifth is left, and the excess no longer falls
  std::int64_t sweeps = 0;
  double gradients = 0.0;
};

/// Runs at most 2048 sweeps of 1021 replicates. Doubles the number of sweeps until less than a
/// fifth of the excess is left two times in a row, or until half of the budget is spent.
Arrival arrival(const VerifyTargets& targets, const EquilibriumTest& test, double step_factor);

/// Checks that the columns of one composition are independent. Runs two sweeps of 13 replicates, of
/// 16 replicates, and with blocks of another width. Common columns must agree to 1e-9. Returns the
/// largest relative difference. Returns 0 for compositions whose replicates learn together.
double difference_between_blocks(const Composition& composition, const std::function<bool()>& late);

}  // namespace mixwell
