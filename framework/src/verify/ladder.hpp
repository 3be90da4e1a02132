// Measures how the error of a composition without Metropolis steps depends on the step size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/at_equilibrium.hpp"

namespace mixwell {

struct LadderSettings {
  int order = 1;      ///< the claimed order of the error
  bool local = true;  ///< a sweep is one short step: halving eps doubles the number of sweeps
                      ///< instead of the number of steps
  /// Clip the statistics and measure them after a fixed time. This is for schemes that have no
  /// stationary law at any eps > 0 but converge in law as eps -> 0.
  bool bounded = false;
  double factor = 1.0;  ///< the first factor of the manifest's step sizes to try
};

/// Measures LadderStatistics at eps, eps/2, eps/4, eps/8, at the same integration time, from the
/// same exact starts and with the same noise (NoiseGrid). eps is the largest step size at which no
/// statistic is off by 0.3 standard deviations. Errors are relative to the variance of each
/// statistic under the target. For each statistic, the limit is extrapolated from the last two
/// rungs with the claimed order. If some limit is not 0, measures everything again at eps/4 to
/// eps/32. The second result then decides. The outcome contains the rungs of one statistic: the
/// statistic with the most certain limit, or a statistic whose error on the second rung grows with
/// time. Skips a target on which the composition diverges or does not forget its start.
EquilibriumOutcome climb(const VerifyTargets& targets, const EquilibriumTest& test,
                         const LadderSettings& settings);

}  // namespace mixwell
