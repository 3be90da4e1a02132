// Tests every operation of a composition separately.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/target.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/verify.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mixwell {

/// Tests each refresh, accept and move of one composition that a certificate relies on. Starts from
/// the values that 256 replicates have after a few sweeps, and tests the declared traits of each
/// operation. `alpha` is for all tests together. Takes some seconds if the density is cheap. Throws
/// Stopped once `late` returns true.
struct OperationsChecked {
  std::vector<VerifiedOperation> found;  ///< with `failed` set
  std::vector<VerifiedOperation> untested{};
  double adjusted_p = 1.0;  ///< smallest p times the number of tests
  double gradients = 0.0;
};
MIXWELL_INTERNAL OperationsChecked check_operations(const Composition& composition,
                                                    std::int64_t warmup, double alpha,
                                                    std::function<bool()> late = {});

}  // namespace mixwell
