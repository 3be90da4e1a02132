// The contract of every composition: reproducible draws and a complete saved state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/lab/manifest.hpp>

namespace mixwell::contracts {

/// Runs the composition for a few sweeps in both phases, and compares the bits of every recorded
/// value:
///   restore      a state that is saved in the middle of a phase and read into a new sampler gives
///                the same next ten sweeps, in warmup and in sampling
///   split        one call of 20 sweeps records the same as three calls of 1, 7 and 12 sweeps
///   threads      1 and 2 threads record the same
///   seed         another seed records something else
///   certified    the certified graph is the one that ran: both phases certify again to the same
///                class
Findings check_sampler(const Composition& composition);

}  // namespace mixwell::contracts
