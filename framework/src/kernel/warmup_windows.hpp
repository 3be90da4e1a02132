// The windows of warmup. A learnt preconditioner is computed from the draws of a window.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <cstdint>

namespace mixwell {

/// The schedule of Stan's reference manual (section on automatic parameter tuning). The first 75
/// sweeps are only for the step size. Windows of 25, 50, 100, ... sweeps follow. The last window
/// extends to the last 50 sweeps, and these are only for the step size. A warmup of less than 150
/// sweeps is divided 15 % : 75 % : 10 % with a single window. Below 20 sweeps there is no window.
/// Each window starts from nothing, so early draws are forgotten. The preconditioner is fixed after
/// the last window.
class MIXWELL_EXPORT WarmupWindows {
 public:
  /// sweeps: length of the warmup.
  explicit WarmupWindows(std::int64_t sweeps) noexcept;

  /// Whether the state after this sweep, counted from 0, belongs to a window.
  bool collects(std::uint64_t sweep) const noexcept;
  /// Whether a window ends with this sweep. O(log sweeps).
  bool closes(std::uint64_t sweep) const noexcept;

 private:
  std::int64_t first_ = 0;  ///< first sweep of the first window
  std::int64_t size_ = 0;   ///< number of sweeps of the first window
  std::int64_t end_ = 0;    ///< first sweep after the last window
};

}  // namespace mixwell
