// Sums of columns in a fixed binary tree: bits do not depend on who adds which part of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/types.hpp>

#include <vector>

namespace mixwell {

/// Leaves [first, first + size) of a tree, size a power of 2 and first a multiple of it.
struct Subtree {
  Index first = 0;
  Index size = 1;
  friend bool operator==(const Subtree&, const Subtree&) = default;
};

/// Over the columns of a matrix, as many as a power of 2. The sum of a subtree is that of its left
/// half plus that of its right half, and stands in its first column.
class MIXWELL_INTERNAL FixedTree {
 public:
  explicit FixedTree(Index leaves) : leaves_(leaves) {}

  /// The largest subtrees within leaves [first, end), in order: at most 2 log2(leaves).
  std::vector<Subtree> subtrees(Index first, Index end) const;
  /// Adds up the leaves of one subtree, size - 1 additions of columns.
  static void add_up(Batch columns, const Subtree& tree);
  /// Adds up the whole tree where the sums of `done`, which cover it in order, stand already.
  static void join(Batch columns, const std::vector<Subtree>& done);

 private:
  Index leaves_;
};

}  // namespace mixwell
