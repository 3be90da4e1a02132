// What a block leaves behind, such as counters and divergences, and guards around its columns.
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

/// In order of sweep, then chain.
inline void sort_by_sweep(std::vector<Divergence>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Divergence& a, const Divergence& b) {
    return std::pair(a.sweep, a.chain) < std::pair(b.sweep, b.chain);
  });
}

/// Counters and scratch of one lane (a task of a level) on one block; touched by one thread at a
/// time, merged in a fixed order.
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
  std::vector<double> seconds;  ///< by step, of the sweeps that were timed
  std::int32_t operation = -1;  ///< the one that runs
};

/// Ports that show a body copies of its columns, instead of those given.
class GuardedPorts {
 public:
  GuardedPorts(std::span<const Block::Port> inputs, std::span<const Block::Port> outputs,
               Index first_column, Index columns);

  std::span<const Block::Port> inputs() const noexcept { return inputs_; }
  std::span<const Block::Port> outputs() const noexcept { return outputs_; }

  /// Writes what the body wrote to where it belongs. Throws RunError where it wrote between columns
  /// of its own and others', or to what it only reads.
  void settle() const;

 private:
  struct GuardedCopy {
    double* of;
    GuardedColumns columns;
    bool is_written;
  };
  Block::Port guarded(const Block::Port& port, Index first_column, Index columns, bool is_written);

  std::deque<GuardedCopy> copies_;
  std::vector<Block::Port> outputs_;
  std::vector<Block::Port> inputs_;
};

}  // namespace mixwell
