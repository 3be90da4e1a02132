// How much memory this process may have, and what is refused because it needs more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/machine.hpp>

#include <string>

namespace mixwell {

/// Bytes, and who set them: "MIXWELL_MEMORY = 4G", "free on this machine".
struct MemoryLimit {
  double bytes = 0;
  std::string source;
};

/// What this process may have in all: MIXWELL_MEMORY (a number with K, M, G or T for powers of
/// 1024), or else nine tenths of what the machine and its control groups had free when this was
/// first asked; and never more than RLIMIT_AS and RLIMIT_DATA. Throws InputError for a
/// MIXWELL_MEMORY that is no such number, or too small for the program itself.
MIXWELL_INTERNAL MemoryLimit memory_limit();

/// Takes the place of MIXWELL_MEMORY.
MIXWELL_INTERNAL void choose_memory_limit(const MemoryLimit& limit);

/// Throws InputError of `what`, that rule and the cure where they break it: "m.csv:7: the table".
MIXWELL_INTERNAL void require_memory(double bytes, const std::string& what);

/// Asks require_memory() of something that grows, once for each MiB.
class MIXWELL_INTERNAL GrowingMemory {
 public:
  /// What it has now; `what` makes the words for a message.
  template <class What>
  void now(double bytes, const What& what) {
    if (bytes < next_) return;
    require_memory(bytes, what());
    next_ = bytes + 1048576;
  }

 private:
  double next_ = 0;
};

/// Of an allocation that failed: what this process may have, and the cure.
MIXWELL_INTERNAL std::string out_of_memory();

/// From now on, what goes beyond memory_limit() is an allocation that fails, with std::bad_alloc,
/// and not a machine that stalls. Nothing under sanitizers, which reserve more than there is.
MIXWELL_INTERNAL void hold_memory_limit();

}  // namespace mixwell
