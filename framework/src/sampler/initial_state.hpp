// Where slots start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampler/schedule.hpp"

#include <mixwell/lab/run_settings.hpp>
#include <mixwell/model.hpp>

namespace mixwell {

/// Sets every position of the graph as `settings.init` says, whether one slot holds it or several
/// do, then evaluates every constant factor of a single position. Throws InputError naming
/// replicate, parameter and quantity when U or grad U is not finite. Returns the gradients spent.
/// Draws are keyed by `sweep`: another start after some sweeps is a fresh one.
double set_initial_state(const KernelGraph& graph, const Model& model, const RunSettings& settings,
                         std::uint64_t sweep, Storage& storage);

}  // namespace mixwell
