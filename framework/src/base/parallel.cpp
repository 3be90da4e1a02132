// Runs loops as oneTBB tasks, with synchronisation that the thread sanitizer recognises.
// SPDX-License-Identifier: Apache-2.0
#include "base/present_call.hpp"

#include <mixwell/base/machine.hpp>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace mixwell {
namespace {

/// Tells the thread sanitizer that everything before release(x) in one thread happened before
/// everything after acquire(x) in another. The sanitizer does not follow oneTBB, unless oneTBB is
/// instrumented. Does nothing in other builds.
void acquire([[maybe_unused]] char& x) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(&x);
#endif
}
void release([[maybe_unused]] char& x) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(&x);
#endif
}

thread_local int depth = 0;  // number of nested iterations that this thread is in

/// Marks an iteration as part of the call around its loop, on any thread.
class Inside {
 public:
  Inside(const char* task, const Component* component) noexcept : mark_(task, component) {
    ++depth;
  }
  ~Inside() { --depth; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  CallMark mark_;
};

void run_tasks(Index count, void (*call)(const void*, Index), const void* body) {
  static char fork;  // static, so a task does not read the caller's memory to find them
  static char join;
  const char* const of = present_call().task();
  const Component* const within = present_call().component();
  const auto task = [call, body, of, within](Index k) {
    acquire(fork);
    const Inside inside(of, within);
    call(body, k);
    release(join);
  };
  release(fork);
  tbb::parallel_for(Index{0}, count, task, tbb::simple_partitioner());
  acquire(join);
}

}  // namespace

void detail::parallel_for(Index count, void (*call)(const void*, Index), const void* body) {
  if (count <= 1 || tbb::this_task_arena::max_concurrency() == 1) {
    for (Index k = 0; k < count; ++k) call(body, k);
  } else if (depth == 0) {
    run_tasks(count, call, body);
  } else {
    // A thread that waits for an inner loop must not start an outer iteration, which may be a long
    // stretch of a run.
    tbb::this_task_arena::isolate([&] { run_tasks(count, call, body); });
  }
}

}  // namespace mixwell
