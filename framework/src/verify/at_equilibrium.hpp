// Whether a composition keeps one target, moves on it, and finds the way to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/target.hpp"

#include <mixwell/lab/verify.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mixwell {

/// A chain that has gone less than this share of a variance in `sweeps_to_stand_still` sweeps
/// stands still.
inline constexpr double still_distance = 0.02;
inline constexpr std::int64_t sweeps_to_stand_still = 128;

struct EquilibriumTest {
  std::string target;
  bool fixed_steps =
      false;  ///< keep the step sizes of the manifest: they are learnt, or there are none
  std::int64_t warmup = 0;
  bool adaptive = false;     ///< it still learns while it is tested
  bool learnt_laws = false;  ///< they cost much: few replicates are affordable
  double budget = 1e6;       ///< gradients
  double alpha = 1e-3;       ///< of this target
  std::int64_t seed = 1;
  /// Asked from several threads; once it is true, what runs throws Stopped, or ends with what it
  /// has seen.
  std::function<bool()> late;
};

struct EquilibriumOutcome {
  VerifiedTarget seen;
  std::vector<VerifiedStatistic> tests;  ///< all that failed, or the one that was farthest off
  bool biased = false;
  double largest_shift = 0.0;  ///< of the means of all statistics, in their standard deviations
  double adjusted_p = 1.0;     ///< smallest of all looks, times their number
  double looks = 0.0;          ///< statistics times times at which they were looked at
  double gradients = 0.0;
  bool tells = false;  ///< of a ladder: some limit is known to half its error at the first rung
  std::string remark;  ///< how far it went where more sweeps were made to tell, or empty

  void add(VerifiedStatistic statistic);
};

/// Looks after 1, 2, 4, ..., at most 128 sweeps; at least 4 are made whatever they cost. Step sizes
/// are multiplied by the factor with which a trial run goes farthest. A chain that hardly moved in
/// fewer than 128 sweeps is followed over 128 of them by few replicates before it is said to stand
/// still. Throws InputError where the
/// target cannot be composed or has no draws.
EquilibriumOutcome test_at_equilibrium(const VerifyTargets& targets, const EquilibriumTest& test);

/// Whether the model can draw from its prior, and data given the parameters, but not, nor a grid,
/// from its posterior.
bool is_calibrated(const Model& model);

/// Simulation-based calibration from an exact start. For each of 256 to 1024 data sets: theta from
/// the prior, data given theta, the composition on these data (warmed up where it learns), its slot
/// moved to theta, which is an exact draw of that posterior, and 1, 4, 16 sweeps. Over all data
/// sets every statistic of theta and data must be distributed after the sweeps as before:
/// coordinates, entries of grad U (both at most 16), U and theta' grad U, by their ranks and by the
/// spread of these. `budget` counts a gradient over N cases as max(1, N / 1000). Throws InputError
/// for compositions of several slots, which need as many draws of one posterior, and where the
/// budget affords fewer than 256 data sets.
EquilibriumOutcome calibrate(const VerifyTargets& targets, const Model& model,
                             const EquilibriumTest& test);

/// Few replicates, thousands of sweeps, and averages over them (Equilibrium::follow): 4096 sweeps
/// of 253 replicates, or as many as the budget affords, in looks of 1 to 4 sweeps; a gradient
/// counts at least N / 1000 of N cases and d^2 / 100. Throws InputError where that is fewer than
/// 512.
EquilibriumOutcome look_long(const VerifyTargets& targets, const EquilibriumTest& test,
                             double step_factor);

/// The multiple of the manifest's step sizes with which two sweeps go farthest. What a composition
/// keeps does not depend on them, what a test can see of it does. Adds what it spent to
/// `gradients`.
double best_factor(const VerifyTargets& targets, const EquilibriumTest& test, double& gradients);

/// What a chain that hardly moved in the sweeps of its test went in 128, for seen.moved and a
/// remark.
void follow_up(double moved, EquilibriumOutcome& out);

/// What is left of the excess spread of starts that are half as far out again as exact draws.
struct Arrival {
  double left = 0.0;  ///< a share of what it was
  bool stalled =
      false;  ///< more than a fifth is left, and the last doubling of sweeps took nothing off
  std::int64_t sweeps = 0;
  double gradients = 0.0;
};

/// Up to 2048 sweeps of 1021 replicates, doubled until less than a fifth is left twice or the
/// budget is spent.
Arrival arrival(const VerifyTargets& targets, const EquilibriumTest& test, double step_factor);

/// The columns of one composition do not know of one another: two sweeps of 13 and of 16
/// replicates, and of blocks of another width, agree to 1e-9 in the columns that they share.
/// Returns the largest relative difference, 0 for compositions whose replicates learn together.
double difference_between_blocks(const Composition& composition, const std::function<bool()>& late);

}  // namespace mixwell
