// Statistics of a transition. A table declares the recorded statistics, and the body writes the
// values by key.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph/graph.hpp>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace mixwell {

/// One number for each column, recorded together with the draws in the group sample_stats.
struct Statistic {
  const char* name;  ///< name in ArviZ, if ArviZ has one
  RecordType type;
  const char* unit;
  const char* help;
};

template <class Key>
struct StatisticRow {
  Key key;
  Statistic what;
};

/// A table of statistics with one row for each enumerator of Key, in the order of Key. A table in a
/// different order does not compile.
template <class Key, std::size_t size>
class StatisticTable {
 public:
  consteval StatisticTable(const StatisticRow<Key> (&rows)[size]) {  // NOLINT: implicit for {...}
    for (std::size_t k = 0; k < size; ++k) {
      if (static_cast<std::size_t>(rows[k].key) != k) {
        throw std::logic_error("Put the rows of the table in the order of Key's enumerators.");
      }
      rows_[k] = rows[k];
    }
  }
  constexpr std::span<const StatisticRow<Key>> rows() const { return rows_; }

 private:
  StatisticRow<Key> rows_[size] = {};
};

/// Statistics that an operation writes, one row each.
template <class Key>
struct WriteStatistics {
  std::string path;
  std::span<const StatisticRow<Key>> table;  ///< not copied, so it must outlive the graph
};

/// The values that the operation wrote.
template <class Key>
struct WrittenStatistics {
  std::span<const StatisticRow<Key>> table;
  std::vector<Value> values;
  Value operator[](Key key) const { return values.at(static_cast<std::size_t>(key)); }
};

namespace edge {

/// The statistics that a body writes: statistics[Key::depth](j) = ...
template <class Key>
class Statistics {
 public:
  Statistics(const ColumnBlock& block, std::size_t first) noexcept
      : block_(&block), first_(first) {}
  /// 1 x w.
  RowMap operator[](Key key) const {
    return block_->out_row(first_ + static_cast<std::size_t>(key));
  }

 private:
  const ColumnBlock* block_;
  std::size_t first_;
};

}  // namespace edge
}  // namespace mixwell
