// The counters and divergences of a block of columns, and guard values around its columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/guarded_columns.hpp"

#include <mixwell/base/workspace.hpp>
#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/sampler.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

namespace mixwell {

/// Sorts by sweep, then by chain.
inline void sort_by_sweep(std::vector<Divergence>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Divergence& a, const Divergence& b) {
    return std::pair(a.sweep, a.chain) < std::pair(b.sweep, b.chain);
  });
}

/// Counters and scratch of one lane (a task of a level) on one block. One thread at a time uses
/// them, and they are merged in a fixed order.
struct alignas(128) Columns::Sinks {
  struct Kept {
    Divergence what;
    std::int32_t operation;
  };
  Workspace scratch;
  Evaluations evaluations;
  std::int64_t divergences = 0;
  std::vector<Kept> kept;
  std::size_t capacity = 0;
  std::vector<double> seconds;  ///< for each step, summed over the timed sweeps
  std::int32_t operation = -1;  ///< the operation that is running
};

/// Ports that give a body copies of its columns instead of the columns themselves.
class GuardedPorts {
 public:
  GuardedPorts(std::span<const ColumnBlock::Port> inputs,
               std::span<const ColumnBlock::Port> outputs, Index first_column, Index columns);

  std::span<const ColumnBlock::Port> inputs() const noexcept { return inputs_; }
  std::span<const ColumnBlock::Port> outputs() const noexcept { return outputs_; }

  /// Copies the numbers that the body wrote into the columns of the block. Throws RunError if the
  /// body wrote outside its own columns, or to an input.
  void settle() const;

 private:
  struct GuardedCopy {
    double* of;
    GuardedColumns columns;
    bool is_written;
  };
  ColumnBlock::Port guarded(const ColumnBlock::Port& port, Index first_column, Index columns,
                            bool is_written);

  std::deque<GuardedCopy> copies_;
  std::vector<ColumnBlock::Port> outputs_;
  std::vector<ColumnBlock::Port> inputs_;
};

}  // namespace mixwell
