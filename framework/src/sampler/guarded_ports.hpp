// The columns of one block between guards: whether a body writes where it may.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/guarded_columns.hpp"

#include <mixwell/graph.hpp>

#include <deque>
#include <span>
#include <vector>

namespace mixwell {

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
