// Whether two stages of a proposal are the same transition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate/analysis.hpp"

#include <cstddef>

namespace mixwell {

/// Whether one kernel described both, at the same place, from the same constants, parameters and
/// laws, and with noises of their own: then both have the same law at every state. What a kernel
/// learns it learns for each of them, so that two which learn differ. O(operations) of a kernel.
bool is_same_stage(const Analysis& a, std::size_t one, std::size_t other);

}  // namespace mixwell
