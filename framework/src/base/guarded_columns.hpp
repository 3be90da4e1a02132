// Guarded copies of arrays: a changed guard value reveals an out-of-bounds write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <cstddef>
#include <vector>

namespace mixwell {

/// A copy of numbers with guards before and after it. The copy has the same offset in its cache
/// line as the original, so vectorised sums over both have the same bits.
class GuardedColumns {
 public:
  /// `from` may be null where `count` is 0.
  GuardedColumns(const double* from, Index count);

  double* data() noexcept { return memory_.data() + first_; }
  const double* data() const noexcept { return memory_.data() + first_; }
  Index count() const noexcept { return count_; }

  /// Whether the guards before and after the numbers are unchanged.
  bool is_intact() const noexcept;
  /// Whether the numbers equal `numbers`, bit by bit.
  bool equals(const double* numbers) const noexcept;
  void copy_to(double* numbers) const noexcept;

 private:
  Index count_;
  std::vector<double> memory_;
  std::size_t first_;
};

/// While this object lives, evaluations of models and bodies of operations run on guarded copies,
/// and each thread makes every `every`-th evaluation twice. Only one object may live at a time, and
/// no other code may run meanwhile.
class MIXWELL_INTERNAL CheckedCalls {
 public:
  explicit CheckedCalls(int every);
  ~CheckedCalls();
  CheckedCalls(const CheckedCalls&) = delete;
  CheckedCalls& operator=(const CheckedCalls&) = delete;
};

/// The `every` of the current CheckedCalls, or 0 if there is none.
int checked_every() noexcept;

}  // namespace mixwell
