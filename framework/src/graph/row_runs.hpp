// Copies some rows of a matrix to another matrix and back. Adjacent rows are copied together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>

#include <algorithm>
#include <vector>

namespace mixwell {

/// Rows of a whole (d x w) that a part (b x w) holds, in the part's order. Adjacent rows are copied
/// together.
class RowRuns {
 public:
  /// `rows`: for each row of the part, in order, its row in the whole.
  explicit RowRuns(const std::vector<Index>& rows) : part_rows_(std::ssize(rows)) {
    for (Index k = 0; k < part_rows_; ++k) {
      const Index row = rows[static_cast<std::size_t>(k)];
      const bool follows = !runs_.empty() && row == runs_.back().in_whole + runs_.back().count;
      if (follows) {
        ++runs_.back().count;
      } else {
        runs_.push_back({row, k, 1});
      }
    }
  }

  Index part_rows() const noexcept { return part_rows_; }

  /// Calls visit(in_whole, in_part, count) for each run of rows that are adjacent in both.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const RowRun& run : runs_) visit(run.in_whole, run.in_part, run.count);
  }

  /// Copies the part's rows from `whole` to `part`. O(b) for each column.
  void take(ConstBatch whole, Batch part) const {
    for (Index j = 0; j < part.cols(); ++j) {
      const double* const from = whole.data() + j * whole.rows();
      double* const to = part.data() + j * part_rows_;
      for (const RowRun& run : runs_) std::copy_n(from + run.in_whole, run.count, to + run.in_part);
    }
  }
  /// Copies `part` to the part's rows of `whole`. O(b) for each column.
  void put(ConstBatch part, Batch whole) const {
    for (Index j = 0; j < part.cols(); ++j) {
      const double* const from = part.data() + j * part_rows_;
      double* const to = whole.data() + j * whole.rows();
      for (const RowRun& run : runs_) std::copy_n(from + run.in_part, run.count, to + run.in_whole);
    }
  }

 private:
  struct RowRun {
    Index in_whole;
    Index in_part;
    Index count;
  };
  Index part_rows_;
  std::vector<RowRun> runs_;
};

}  // namespace mixwell
