// Which ratings of each cell an evaluation takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"

#include <mixwell/plugin.hpp>

namespace mixwell::factorisation {

/// All of them, or those that are asked for, in the order in which they are. Lives as long as the
/// Frame of its memory.
class Chosen {
 public:
  explicit Chosen(const Cells& cells) : cells_(cells) {}
  /// `numbers`: n x 1. O(n + cells).
  Chosen(const Cells& cells, Index strata, ConstBatch numbers, Workspace& scratch)
      : cells_(cells),
        has_stratum_(scratch.objects<bool>(strata)),
        ends_(scratch.objects<Index>(cells.cells() + 1)),
        places_(scratch.objects<Index>(numbers.rows())) {
    Index* const next = scratch.objects<Index>(cells.cells());
    for (Index k = 0; k < numbers.rows(); ++k) {
      const auto n = static_cast<Index>(numbers(k, 0));
      has_stratum_[cells.stratum(n)] = true;
      if (const Index c = cells.cell_of(n); c >= 0) ++ends_[c + 1];
    }
    for (Index c = 0; c < cells.cells(); ++c) {
      next[c] = ends_[c];
      ends_[c + 1] += ends_[c];
    }
    for (Index k = 0; k < numbers.rows(); ++k) {
      const auto n = static_cast<Index>(numbers(k, 0));
      if (const Index c = cells.cell_of(n); c >= 0) places_[next[c]++] = cells.place_of(n);
    }
  }

  /// The same on every process: whether any rating of the stratum is taken.
  bool has_stratum(Index s) const noexcept { return has_stratum_ == nullptr || has_stratum_[s]; }
  Index count(Index cell) const {
    return ends_ == nullptr ? cells_[cell].ratings().size() : ends_[cell + 1] - ends_[cell];
  }
  Index place(Index cell, Index k) const noexcept {
    return ends_ == nullptr ? k : places_[ends_[cell] + k];
  }

 private:
  const Cells& cells_;
  bool* has_stratum_ = nullptr;
  Index* ends_ = nullptr;
  Index* places_ = nullptr;
};

}  // namespace mixwell::factorisation
