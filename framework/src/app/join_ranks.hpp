// Whether this process is one of several that MPI started together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ranks.hpp"

#include <memory>

namespace mixwell::app {

/// Null where mpirun or srun did not start this process, or started it alone. Throws InputError
/// where they started several that cannot know one another.
std::unique_ptr<Ranks> join_ranks();

/// Threads of a rank: so many, or with 0 its share of the cores of its machine, at most those that
/// it is bound to.
int threads_of(const Ranks& ranks, int wanted);

}  // namespace mixwell::app
