// A request that what takes long ends early.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>

#include <atomic>
#include <chrono>
#include <string>

namespace mixwell {

/// Made from any thread or signal handler, and seen by what takes long and was given it: a run ends
/// after its present stretch of sweeps, a summary after its present element once the request is
/// overdue.
class StopRequest {
 public:
  /// `patience`: seconds from make() until it is overdue. A summary that takes less is made.
  explicit StopRequest(double patience = 0.0) noexcept : patience_(patience) {}

  /// Returns whether it is the first since the last withdraw().
  bool make() noexcept {
    long long never = 0;
    return made_at_.compare_exchange_strong(never, now());
  }
  void withdraw() noexcept { made_at_.store(0); }
  bool is_made() const noexcept { return made_at_.load() != 0; }
  bool is_overdue() const noexcept {
    const long long made_at = made_at_.load();
    return made_at != 0 && 1e-9 * static_cast<double>(now() - made_at) >= patience_;
  }

 private:
  /// Nanoseconds since the machine was started; POSIX lets signal handlers read this clock.
  static long long now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  static_assert(std::atomic<long long>::is_always_lock_free,
                "a signal handler may store nothing else");
  std::atomic<long long> made_at_{0};
  double patience_;
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

/// Throws Stopped of `what` if the request is overdue.
MIXWELL_EXPORT void end_if_overdue(const StopRequest* request, const char* what);

}  // namespace mixwell
