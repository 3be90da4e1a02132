// Durations in seconds, and the current date and time as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <chrono>
#include <string>

namespace mixwell {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The current time in UTC: "2026-11-21T14:03:00+00:00".
MIXWELL_INTERNAL std::string timestamp();

}  // namespace mixwell
