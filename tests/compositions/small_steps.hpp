// Draws of small steps without a decision, beside other updates: no ladder is steep enough for
// them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/manifest.hpp>

#include <cstdint>
#include <string>

namespace compositions {

struct Shift {
  std::string statistic;  ///< the one farthest off, and after how many sweeps
  double p = 1.0;         ///< chance of it where no mean is off by more than the tolerance
};

/// Replicates that start from exact draws, after 1, 3, 12 and 48 sweeps. Throws InputError where
/// there are no such draws.
Shift shift_of(const mixwell::Composition& composition, std::int64_t replicates, double tolerance);

}  // namespace compositions
