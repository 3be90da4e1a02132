// Guarded copies of arrays: a changed guard value reveals an out-of-bounds write.
// SPDX-License-Identifier: Apache-2.0
#include "base/guarded_columns.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

namespace mixwell {
namespace {

constexpr std::size_t line = 64 / sizeof(double);
constexpr std::size_t guard = 512;
/// The guards hold this NaN, which no computation produces.
const double guard_value = std::bit_cast<double>(std::uint64_t{0x7ff8'dead'beef'cafe});

std::size_t place_in_line(const double* numbers) noexcept {
  return reinterpret_cast<std::uintptr_t>(numbers) / sizeof(double) % line;
}

bool is_guard(double x) noexcept {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(guard_value);
}

std::atomic<int> every_so_often{0};

}  // namespace

GuardedColumns::GuardedColumns(const double* from, Index count)
    : count_(count),
      memory_(static_cast<std::size_t>(count) + 2 * guard + line, guard_value),
      first_(guard +
             (place_in_line(from) + 2 * line - place_in_line(memory_.data() + guard)) % line) {
  std::copy_n(from, count, data());
}

bool GuardedColumns::is_intact() const noexcept {
  const double* const end = data() + count_;
  return std::all_of(memory_.data(), data(), is_guard) &&
         std::all_of(end, memory_.data() + memory_.size(), is_guard);
}

bool GuardedColumns::equals(const double* numbers) const noexcept {
  return count_ == 0 ||
         std::memcmp(numbers, data(), static_cast<std::size_t>(count_) * sizeof(double)) == 0;
}

void GuardedColumns::copy_to(double* numbers) const noexcept {
  std::copy_n(data(), count_, numbers);
}

CheckedCalls::CheckedCalls(int every) { every_so_often = every; }
CheckedCalls::~CheckedCalls() { every_so_often = 0; }

int checked_every() noexcept { return every_so_often.load(std::memory_order_relaxed); }

}  // namespace mixwell
