// Statistics of a transition: a table beside it says what is recorded, the body writes by key.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph/graph.hpp>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace mixwell {

/// One number a column, recorded beside the draws in the group sample_stats.
struct Statistic {
  const char* name;  ///< as ArviZ has it, where it has one
  RecordType type;
  const char* unit;
  const char* help;
};

template <class Key>
struct StatisticRow {
  Key key;
  Statistic what;
};

/// A table of statistics by the enumerators of Key, one row each and in their order; another order
/// does not compile.
template <class Key, std::size_t size>
class StatisticTable {
 public:
  consteval StatisticTable(const StatisticRow<Key> (&rows)[size]) {  // NOLINT: a list in braces
    for (std::size_t k = 0; k < size; ++k) {
      if (static_cast<std::size_t>(rows[k].key) != k) {
        throw std::logic_error("the rows are not in the order of the enumerators");
      }
      rows_[k] = rows[k];
    }
  }
  constexpr std::span<const StatisticRow<Key>> rows() const { return rows_; }

 private:
  StatisticRow<Key> rows_[size] = {};
};

/// What an operation writes, a row each.
template <class Key>
struct WriteStatistics {
  std::string path;
  std::span<const StatisticRow<Key>> table;  ///< kept
};

/// The values that it wrote.
template <class Key>
struct WrittenStatistics {
  std::span<const StatisticRow<Key>> table;
  std::vector<Value> values;
  Value operator[](Key key) const { return values.at(static_cast<std::size_t>(key)); }
};

namespace edge {

/// The same in a body: statistics[Key::depth](j) = ...
template <class Key>
class Statistics {
 public:
  Statistics(const Block& block, std::size_t first) noexcept : block_(&block), first_(first) {}
  /// 1 x w.
  RowMap operator[](Key key) const {
    return block_->out_row(first_ + static_cast<std::size_t>(key));
  }

 private:
  const Block* block_;
  std::size_t first_;
};

}  // namespace edge
}  // namespace mixwell
