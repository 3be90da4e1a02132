// How the error of a composition without Metropolis falls with its step size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/at_equilibrium.hpp"

namespace mixwell {

struct LadderSettings {
  int order = 1;      ///< that the error is supposed to have
  bool local = true;  ///< a sweep is one short step: halving eps doubles the sweeps; else the steps
  /// Statistics are clipped, and looked at after a fixed time: a scheme may have no stationary law
  /// at any eps > 0, and yet be right in law as eps -> 0.
  bool bounded = false;
  double factor = 1.0;  ///< of the manifest's step sizes, the largest to try
};

/// LadderStatistics at eps, eps/2, eps/4, eps/8, at the same integration
/// time, from the same exact starts and with the same noise (NoiseGrid); eps is the largest at
/// which none of them is off by 0.3 standard deviations; errors relative to the variance of each
/// statistic under the target. For each statistic the limit is extrapolated from the last two
/// rungs, supposing the order. Where some limit is there, all is measured again below, at eps/4 to
/// eps/32, and this decides. The outcome has the rungs of the statistic with the most certain
/// limit, or of one whose error at the second rung grows with time. A target is skipped on which
/// the composition does not forget its start, or runs away.
EquilibriumOutcome climb(const VerifyTargets& targets, const EquilibriumTest& test,
                         const LadderSettings& settings);

}  // namespace mixwell
