// A request that what takes long ends early.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>
#include <mixwell/export.hpp>

#include <atomic>
#include <string>

namespace mixwell {

/// Made from any thread or signal handler, and seen by what takes long and was given it: a run ends
/// after its present stretch of sweeps, a summary after its present element.
class StopRequest {
 public:
  /// Returns whether it is the first since the last withdraw().
  bool make() noexcept { return !made_.exchange(true); }
  void withdraw() noexcept { made_.store(false); }
  bool is_made() const noexcept { return made_.load(); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may store nothing else");
  std::atomic<bool> made_{false};
};

/// What has no result without its end was asked to end before it.
class MIXWELL_EXPORT Stopped : public RunError {
 public:
  /// `what` ended: "the summary".
  explicit Stopped(const std::string& what);
  ~Stopped() override;
};

/// Null is a request that nobody makes.
inline bool is_made(const StopRequest* request) noexcept {
  return request != nullptr && request->is_made();
}

/// Throws Stopped of `what` if the request is made.
MIXWELL_EXPORT void end_if_made(const StopRequest* request, const char* what);

}  // namespace mixwell
