// Sums of columns in a fixed binary tree.
// SPDX-License-Identifier: Apache-2.0
#include "base/fixed_tree.hpp"

namespace mixwell {

std::vector<Subtree> FixedTree::subtrees(Index first, Index end) const {
  std::vector<Subtree> all;
  while (first < end) {
    Index size = 1;
    while (2 * size <= leaves_ && first % (2 * size) == 0 && first + 2 * size <= end) size *= 2;
    all.push_back({first, size});
    first += size;
  }
  return all;
}

void FixedTree::add_up(Batch columns, const Subtree& tree) {
  for (Index half = 1; half < tree.size; half *= 2) {
    for (Index k = tree.first; k < tree.first + tree.size; k += 2 * half)
      columns.col(k) += columns.col(k + half);
  }
}

/// A subtree is joined with its neighbour as soon as both are whole: those before it wait in a
/// stack, the larger below.
void FixedTree::join(Batch columns, const std::vector<Subtree>& done) {
  std::vector<Subtree> waiting;
  for (Subtree tree : done) {
    while (!waiting.empty() && waiting.back().size == tree.size &&
           waiting.back().first % (2 * tree.size) == 0) {
      columns.col(waiting.back().first) += columns.col(tree.first);
      tree = {waiting.back().first, 2 * tree.size};
      waiting.pop_back();
    }
    waiting.push_back(tree);
  }
}

}  // namespace mixwell
