// Connects all processes that one mpirun or srun command started, as the ranks of one run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <memory>

namespace mixwell::app {

/// The ranks of this run, or null if mpirun or srun did not start several processes. Throws
/// InputError if they started several processes that cannot communicate.
std::unique_ptr<Ranks> join_ranks();

/// The number of threads of a rank: `wanted` if `wanted` is not 0. Otherwise the number is the
/// smaller of two numbers: the rank's share of the cores of the machine, and the number of cores
/// that the rank is bound to.
int threads_of(const Ranks& ranks, int wanted);

}  // namespace mixwell::app
