// A request to end a long computation early.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>

#include <atomic>
#include <chrono>
#include <string>

namespace mixwell {

/// Any thread or signal handler can make a request. A computation that checks the request then ends
/// early: a run ends after its current stretch of sweeps, and a summary ends after its current
/// element once the request is overdue.
class StopRequest {
 public:
  /// `patience` is the time in seconds from make() until the request is overdue. A summary that
  /// finishes within this time is kept.
  explicit StopRequest(double patience = 0.0) noexcept : patience_(patience) {}

  /// Makes the request. Returns true if it is the first since the last withdraw().
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
  /// Nanoseconds since the machine was started. POSIX allows signal handlers to read this clock.
  static long long now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  static_assert(std::atomic<long long>::is_always_lock_free,
                "signal handlers may use only lock-free atomics");
  std::atomic<long long> made_at_{0};
  double patience_;
};

/// Thrown when a stopped computation has no partial result to return.
class MIXWELL_EXPORT Stopped : public RunError {
 public:
  /// `what` is the computation that was stopped, such as "the summary".
  explicit Stopped(const std::string& what);
  ~Stopped() override;
};

/// True if the request was made. A null request counts as not made.
inline bool is_made(const StopRequest* request) noexcept {
  return request != nullptr && request->is_made();
}

/// Throws Stopped(what) if the request is overdue.
MIXWELL_EXPORT void end_if_overdue(const StopRequest* request, const char* what);

}  // namespace mixwell
