// What a process may take: memory, and threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <string>

namespace mixwell {

/// "" where this process may have so many bytes, else the rule that they break: "needs 6 GiB of
/// memory; this process may have 4 GiB (MIXWELL_MEMORY = 4G)". The limit is MIXWELL_MEMORY, or else
/// nine tenths of what the machine and its control groups had free when it was first asked for;
/// `ulimit` bounds both. A number beyond all integers is as good as any.
MIXWELL_EXPORT std::string broken_memory_rule(double bytes);

/// Throws ParameterError of the parameter `key`, whose value asks for so many bytes, where they
/// break that rule. For constructors, before they allocate.
MIXWELL_EXPORT void check_memory(const std::string& key, double bytes);

}  // namespace mixwell

namespace mixwell {
namespace detail {

MIXWELL_EXPORT void parallel_for(Index count, void (*call)(const void* body, Index k),
                                 const void* body);

}  // namespace detail

/// body(k) for k in [0, count), each as a task: after all that precedes the call, before all that
/// follows it, in no order among themselves, on at most as many threads as the run was given. With
/// one thread, or one iteration, a plain loop in order. Calls may be nested; a thread that waits
/// for an inner loop takes no iteration of an outer one. An iteration should take some
/// microseconds. What bodies write must not overlap, and how work is cut into iterations must not
/// depend on the number of threads. If a body throws, the loop ends early and throws that.
template <class Body>
void parallel_for(Index count, const Body& body) {
  const auto call = [](const void* what, Index k) { (*static_cast<const Body*>(what))(k); };
  detail::parallel_for(count, call, &body);
}

}  // namespace mixwell
