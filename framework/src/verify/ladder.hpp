// How the error of a composition without Metropolis falls with its step size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/target.hpp"

#include <mixwell/lab/verify.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mixwell {

struct LadderSettings {
  std::string target;
  int order = 1;      ///< that the error is supposed to have
  bool local = true;  ///< a sweep is one short step: halving eps doubles the sweeps; else the steps
  double budget = 1e6;  ///< gradients
  double alpha = 1e-3;  ///< of all statistics together
  /// Statistics are clipped, and looked at after a fixed time: a scheme may have no stationary law
  /// at any eps > 0, and yet be right in law as eps -> 0.
  bool bounded = false;
  double factor = 1.0;  ///< of the manifest's step sizes, the largest to try
  std::int64_t seed = 1;
  std::function<bool()> late{};  ///< as EquilibriumTest::late
};

/// LadderStatistics at eps, eps/2, eps/4, eps/8, at the same integration
/// time, from the same exact starts and with the same noise (NoiseGrid); eps is the largest at
/// which none of them is off by 0.3 standard deviations; errors relative to the variance of each
/// statistic under the target. For each statistic the limit is extrapolated from the last two
/// rungs, supposing the order. Where some limit is there, all is measured again below, at eps/4 to
/// eps/32, and this decides.
struct Ladder {
  std::vector<VerifiedRung> rungs;  ///< of the statistic with the most certain limit
  std::string statistic;
  double limit = 0.0;        ///< extrapolated error as eps -> 0, in standard deviations
  double limit_error = 0.0;  ///< its standard error
  std::int64_t looks = 0;
  double bound = 0.0;     ///< standard errors beyond which a bias is there
  bool vanishes = true;   ///< no statistic has a limit that is there
  bool ran_away = false;  ///< some replicate went out of bounds: nothing else is told then
  bool drifts = false;  ///< at the second rung the error of `statistic` grows with time, by `limit`
  bool tells = false;   ///< some statistic's limit is known to half its error at the first rung
  bool moved = false;   ///< it mixed in the time given, so that the rungs are stationary
  double gradients = 0.0;
};

Ladder climb(const VerifyTargets& targets, const LadderSettings& settings);

}  // namespace mixwell
