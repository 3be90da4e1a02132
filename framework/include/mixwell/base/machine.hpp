// The resources of a process: memory and threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <string>

namespace mixwell {

/// Returns "" if this process may use `bytes` bytes of RAM. Otherwise returns the broken rule:
/// "needs 6 GiB of memory, but this process may use at most 4 GiB (MIXWELL_MEMORY = 4G)". If
/// MIXWELL_MEMORY is set, it is the limit. Otherwise the limit is nine tenths of the memory that
/// was free at the first call, in the machine or in the process's control groups, whichever was
/// less. In both cases `ulimit` is an upper limit. `bytes` is a double because it can exceed the
/// range of every integer type.
MIXWELL_EXPORT std::string broken_memory_rule(double bytes);

/// Throws a ParameterError about the parameter `key` if its value requires `bytes` bytes of RAM and
/// this process is not allowed to use that many. Call this function in constructors before you
/// allocate memory.
MIXWELL_EXPORT void check_memory(const std::string& key, double bytes);

}  // namespace mixwell

namespace mixwell {
namespace detail {

MIXWELL_EXPORT void parallel_for(Index count, void (*call)(const void* body, Index k),
                                 const void* body);

}  // namespace detail

/// Calls body(k) for every k in [0, count), each as a task. The call returns only when all tasks
/// have finished. The order of the tasks is not defined. The tasks use at most as many threads as
/// the run has. With one thread or one iteration this is a plain loop in order. Calls may be
/// nested. A thread that waits for an inner loop does not start an iteration of an outer loop. An
/// iteration should take at least several microseconds. Iterations must write to separate memory.
/// The division of the work into iterations must not depend on the number of threads. If a body
/// throws, the loop ends early and rethrows the exception.
template <class Body>
void parallel_for(Index count, const Body& body) {
  const auto call = [](const void* what, Index k) { (*static_cast<const Body*>(what))(k); };
  detail::parallel_for(count, call, &body);
}

}  // namespace mixwell
