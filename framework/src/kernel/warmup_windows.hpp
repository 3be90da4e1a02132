// Which sweeps of warm-up a learnt curvature sees, and when it changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <cstdint>

namespace mixwell {

/// The schedule of Stan's reference manual (section on automatic parameter tuning): a start of 75
/// sweeps only for the step size, windows of 25, 50, 100, ... sweeps, the last one stretched to
/// the end, and 50 sweeps only for the step size. A warm-up below 150 sweeps is divided 15 % : 75
/// % : 10 % with a single window; below 20 there is none. Each window starts afresh, so that early
/// draws are forgotten; nothing moves once the last one has closed.
class MIXWELL_EXPORT WarmupWindows {
 public:
  /// sweeps: length of the warm-up.
  explicit WarmupWindows(std::int64_t sweeps) noexcept;

  /// Whether the state after that sweep, counted from 0, belongs to a window.
  bool collects(std::uint64_t sweep) const noexcept;
  /// Whether a window ends with that sweep. O(log sweeps).
  bool closes(std::uint64_t sweep) const noexcept;

 private:
  std::int64_t first_ = 0;  ///< sweep of the first window
  std::int64_t size_ = 0;   ///< of the first window
  std::int64_t end_ = 0;    ///< one past the last window
};

}  // namespace mixwell
