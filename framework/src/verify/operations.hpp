// Every operation of a composition by itself.
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

/// What is done with the operations of one composition, at what 256 replicates meet in a few
/// sweeps: each refresh, accept and move that a certificate rests on, by the traits that it
/// declares. With `alpha` for all of them together. Costs some seconds where the density is cheap;
/// throws Stopped once `late` is true.
struct OperationsChecked {
  std::vector<VerifiedOperation> found;  ///< `failed` is set
  std::vector<VerifiedOperation> untested{};
  double adjusted_p = 1.0;  ///< smallest, times their number
  double gradients = 0.0;
};
MIXWELL_INTERNAL OperationsChecked check_operations(const Composition& composition,
                                                    std::int64_t warmup, double alpha,
                                                    std::function<bool()> late = {});

}  // namespace mixwell
