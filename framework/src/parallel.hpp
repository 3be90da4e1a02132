// Parallel loops whose order the thread sanitizer can see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/types.hpp>

#include <oneapi/tbb/parallel_for.h>

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace mixwell {

/// What happened before release(x) in one thread happened before what follows acquire(x) in
/// another. Told to the thread sanitizer, which cannot see into oneTBB where it is not
/// instrumented; nothing in other builds.
inline void acquire([[maybe_unused]] char& x) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(&x);
#endif
}
inline void release([[maybe_unused]] char& x) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(&x);
#endif
}

/// body(k) for k in [0, n) as oneTBB tasks: after all that precedes the call, before all that
/// follows it, in no order among themselves.
template <class Body, class... Partitioner>
void parallel_for(Index n, const Body& body, const Partitioner&... partitioner) {
  static char fork;  // static: a task finds them without reading what the caller wrote
  static char join;
  const auto task = [&body](Index k) {
    acquire(fork);
    body(k);
    release(join);
  };
  release(fork);
  tbb::parallel_for(Index{0}, n, task, partitioner...);
  acquire(join);
}

}  // namespace mixwell
