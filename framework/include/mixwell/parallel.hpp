// Loops whose iterations may run on several threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/types.hpp>

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
