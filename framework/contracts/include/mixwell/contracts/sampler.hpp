// The contract of every composition: its bits depend on manifest and seed alone, its state is
// whole. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/lab/manifest.hpp>

namespace mixwell::contracts {

/// Runs the composition a few sweeps in both phases and compares bits of every recorded value:
///   restore      state saved in the middle of a phase and read into a fresh sampler gives the same
///                next ten sweeps, in warm-up and in sampling
///   split        one call of 20 sweeps and several of 1, 7, 12 record the same
///   threads      1 and 2 threads record the same
///   seed         another seed records something else
///   certified    the graph that was certified is the one that ran: both phases certify again to
///                the same class
Findings check_sampler(const Composition& composition);

}  // namespace mixwell::contracts
