// Memory that shows whether code wrote outside of what it was given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <cstddef>
#include <vector>

namespace mixwell {

/// A copy of numbers between guards. It lies in its cache line as the numbers do, so that
/// vectorised sums over it have the same bits.
class GuardedColumns {
 public:
  /// `from` may be null where `count` is 0.
  GuardedColumns(const double* from, Index count);

  double* data() noexcept { return memory_.data() + first_; }
  const double* data() const noexcept { return memory_.data() + first_; }
  Index count() const noexcept { return count_; }

  /// Whether nothing was written before or after the numbers, as far as the guards reach.
  bool is_intact() const noexcept;
  /// Whether the numbers are those, bit by bit.
  bool equals(const double* numbers) const noexcept;
  void copy_to(double* numbers) const noexcept;

 private:
  Index count_;
  std::vector<double> memory_;
  std::size_t first_;
};

/// While it lives, evaluations of models and bodies of operations work between guards, and every
/// `every`-th evaluation in a thread is made twice. One at a time; nobody else runs then.
class MIXWELL_INTERNAL CheckedCalls {
 public:
  explicit CheckedCalls(int every);
  ~CheckedCalls();
  CheckedCalls(const CheckedCalls&) = delete;
  CheckedCalls& operator=(const CheckedCalls&) = delete;
};

/// 0: nothing is checked.
int checked_every() noexcept;

}  // namespace mixwell
