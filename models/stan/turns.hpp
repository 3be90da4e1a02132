// One thread at a time, in libraries that were made without STAN_THREADS.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <mutex>
#include <optional>
#include <string>

namespace mixwell::stan {

/// Without STAN_THREADS all models of a process share one record of operations to differentiate.
/// One lock serves all libraries, as the dynamic linker may make their records one.
class Turns {
 public:
  using Turn = std::unique_lock<std::mutex>;

  Turns() = default;
  /// `key`: of the library, for messages. Throws ParameterError where the process has loaded one of
  /// the other sort: the two would share a record that only one of them has for each thread.
  Turns(const std::string& key, bool has_threads) : needed_(!has_threads) {
    static std::optional<bool> first;
    if (first.value_or(has_threads) != has_threads)
      throw ParameterError(
          key, std::string("is made ") + (has_threads ? "with" : "without") +
                   " STAN_THREADS, and another library of this process is not: one process "
                   "takes libraries of one sort; make both with STAN_THREADS=true");
    first = has_threads;
  }

  bool needed() const noexcept { return needed_; }
  /// Held as long as a call lasts.
  Turn take() const { return needed_ ? Turn(lock()) : Turn(); }
  /// For a call of which it is not known yet.
  static Turn alone() { return Turn(lock()); }

 private:
  static std::mutex& lock() {
    static std::mutex one;
    return one;
  }

  bool needed_ = false;
};

}  // namespace mixwell::stan
