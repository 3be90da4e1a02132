// The memory limit of this process, and errors for data that would exceed it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/machine.hpp>

#include <string>

namespace mixwell {

/// A limit in bytes, and its source: "MIXWELL_MEMORY = 4G".
struct MemoryLimit {
  double bytes = 0;
  std::string source;
};

/// The memory that this process may have in all: MIXWELL_MEMORY (a number with K, M, G or T for
/// powers of 1024), or else nine tenths of the memory that the machine and its control groups had
/// free at the first call. The limit is at most RLIMIT_AS and RLIMIT_DATA. Throws InputError if
/// MIXWELL_MEMORY is not such a number, or too small for the program itself.
MIXWELL_INTERNAL MemoryLimit memory_limit();

/// Replaces MIXWELL_MEMORY.
MIXWELL_INTERNAL void choose_memory_limit(const MemoryLimit& limit);

/// Throws InputError if `bytes` exceeds the limit. The message begins with `what` ("m.csv:7: the
/// table"), and has the rule and the fix.
MIXWELL_INTERNAL void require_memory(double bytes, const std::string& what);

/// Calls require_memory() for something that grows, once for each MiB.
class MIXWELL_INTERNAL GrowingMemory {
 public:
  /// `bytes` is the size now, and what() gives the words for a message.
  template <class What>
  void now(double bytes, const What& what) {
    if (bytes < next_) return;
    require_memory(bytes, what());
    next_ = bytes + 1048576;
  }

 private:
  double next_ = 0;
};

/// The message for a failed allocation: what this process may have, and the fix.
MIXWELL_INTERNAL std::string out_of_memory();

/// From now on, an allocation beyond memory_limit() fails with std::bad_alloc instead of stalling
/// the machine. Does nothing under sanitizers, which reserve more memory than there is.
MIXWELL_INTERNAL void hold_memory_limit();

}  // namespace mixwell
