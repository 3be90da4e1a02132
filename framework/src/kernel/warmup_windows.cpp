// Which sweeps of warm-up a learnt curvature sees.
// SPDX-License-Identifier: Apache-2.0
#include "kernel/warmup_windows.hpp"

namespace mixwell {
namespace {

constexpr std::int64_t start_buffer = 75;
constexpr std::int64_t first_window = 25;
constexpr std::int64_t end_buffer = 50;
constexpr std::int64_t shortest = 20;

}  // namespace

WarmupWindows::WarmupWindows(std::int64_t sweeps) noexcept {
  if (sweeps < shortest) return;
  if (sweeps < start_buffer + first_window + end_buffer) {
    first_ = sweeps * 15 / 100;
    end_ = sweeps - sweeps / 10;
    size_ = end_ - first_;
    return;
  }
  first_ = start_buffer;
  size_ = first_window;
  end_ = sweeps - end_buffer;
}

bool WarmupWindows::collects(std::uint64_t sweep) const noexcept {
  const auto s = static_cast<std::int64_t>(sweep);
  return s >= first_ && s < end_;
}

bool WarmupWindows::closes(std::uint64_t sweep) const noexcept {
  if (!collects(sweep)) return false;
  const auto next = static_cast<std::int64_t>(sweep) + 1;
  std::int64_t close = first_;
  for (std::int64_t size = size_; close < next; size *= 2) {
    // A window that leaves no room for the next, twice as long, is stretched to the end.
    close = close + 3 * size > end_ ? end_ : close + size;
  }
  return close == next;
}

}  // namespace mixwell
