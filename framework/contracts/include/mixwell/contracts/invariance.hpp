// The equilibrium test: replicates that start from exact draws must keep the target distribution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/lab/manifest.hpp>

#include <cstdint>

namespace mixwell::contracts {

struct InvarianceOptions {
  std::int64_t replicates = 8192;
  /// Sweeps of the sampling phase between the exact start and the test.
  std::int64_t sweeps = 5;
  /// Sweeps of the warmup phase before the test, for compositions that learn. Positions are then
  /// redrawn, so only what was learnt remains.
  std::int64_t warmup = 0;
  std::int64_t seed = 1;
  /// Probability that a correct composition fails any of the statistics.
  double alpha = 1e-6;
};

/// Returns one finding for each statistic of Equilibrium, and the finding "moves", which holds if
/// the mean squared jump is not 0. All statistics share alpha equally. Cost: replicates * sweeps
/// transitions. Throws InputError if the model has no exact draws.
Findings check_invariance(const Composition& composition, const InvarianceOptions& options = {});

}  // namespace mixwell::contracts
