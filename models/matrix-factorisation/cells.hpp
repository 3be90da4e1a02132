// Ratings sorted into blocks of users and blocks of items, and the ratings an evaluation uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"
#include "likelihood.hpp"
#include "ratings.hpp"

#include <mixwell/plugin.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace mixwell::factorisation {

/// Deals rows to blocks: row i of a side is number i / B in block i mod B.
struct Deal {
  Index blocks = 1;  ///< B

  Index block(Index i) const noexcept { return i % blocks; }
  Index place(Index i) const noexcept { return i / blocks; }
  /// The number of rows, out of n, in a block.
  Index size(Index block, Index n) const noexcept { return (n - block + blocks - 1) / blocks; }
  /// The rows, out of n, in blocks [first, end), block by block.
  std::vector<Index> rows(Index first, Index end, Index n) const {
    std::vector<Index> all;
    for (Index b = first; b < end; ++b)
      for (Index i = b; i < n; i += blocks) all.push_back(i);
    return all;
  }
};

/// The ratings by users of some blocks, in cells: B cells for each user block, one for each block
/// of items. Also stores the cell of every other rating. The cells of one stratum s are (u, u + s
/// mod B). Takes 8 bytes for each rating of any block, and the memory of the ratings in these
/// cells.
class Cells {
 public:
  /// `whole`: a layout without biases and hyper-parameters. The cells are those of the users in
  /// blocks [first, end).
  Cells(const Layout& whole, Deal deal, Index first, Index end, const Ratings& all, double offset,
        double precision)
      : deal_(deal), first_(first), end_(end) {
    std::vector<Ratings> parts(static_cast<std::size_t>((end - first) * deal.blocks));
    std::vector<std::vector<double>> values(parts.size());
    for (Index n = 0; n < all.size(); ++n) {
      const Index i = all.users[static_cast<std::size_t>(n)];
      const Index j = all.items[static_cast<std::size_t>(n)];
      Where& where = where_.emplace_back();
      where.user_block = static_cast<std::uint16_t>(deal.block(i));
      where.item_block = static_cast<std::uint16_t>(deal.block(j));
      if (!has(where)) continue;
      const auto c = static_cast<std::size_t>(cell(where.user_block, where.item_block));
      where.place = static_cast<std::int32_t>(values[c].size());
      parts[c].users.push_back(deal.place(i));
      parts[c].items.push_back(deal.place(j));
      values[c].push_back(all.values[n]);
    }
    for (Index c = 0; c < std::ssize(parts); ++c) {
      Ratings& part = parts[static_cast<std::size_t>(c)];
      const std::vector<double>& rated = values[static_cast<std::size_t>(c)];
      part.values = Eigen::VectorXd::Map(rated.data(), std::ssize(rated));
      Layout layout = whole;
      layout.users = deal.size(first + c / deal.blocks, whole.users);
      layout.items = deal.size(c % deal.blocks, whole.items);
      cells_.emplace_back(layout, std::move(part), offset, precision);
    }
  }

  /// The number of ratings by all users.
  Index ratings() const noexcept { return std::ssize(where_); }
  Index stratum(Index n) const {
    const Where& where = where_[static_cast<std::size_t>(n)];
    return (where.item_block - where.user_block + deal_.blocks) % deal_.blocks;
  }

  Index cells() const noexcept { return std::ssize(cells_); }
  /// The cell of a user block from [first, end) and any block of items.
  Index cell(Index users, Index items) const noexcept {
    return (users - first_) * deal_.blocks + items;
  }
  const Likelihood& operator[](Index cell) const { return cells_[static_cast<std::size_t>(cell)]; }
  /// The cell of rating n, or -1 if its user is in another block.
  Index cell_of(Index n) const {
    const Where& where = where_[static_cast<std::size_t>(n)];
    return has(where) ? cell(where.user_block, where.item_block) : -1;
  }
  /// The index of rating n in its cell, or -1 if its user is in another block.
  Index location_of(Index n) const { return where_[static_cast<std::size_t>(n)].place; }

 private:
  struct Where {
    std::uint16_t user_block = 0;
    std::uint16_t item_block = 0;
    std::int32_t place = -1;
  };
  bool has(const Where& where) const noexcept {
    return first_ <= where.user_block && where.user_block < end_;
  }

  Deal deal_;
  Index first_;
  Index end_;
  std::vector<Where> where_;
  std::vector<Likelihood> cells_;
};

/// The ratings of each cell that an evaluation uses: all ratings, or the requested ratings in their
/// order. Valid as long as the Frame that holds its memory.
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
      if (const Index c = cells.cell_of(n); c >= 0) places_[next[c]++] = cells.location_of(n);
    }
  }

  /// Whether any rating of the stratum is used. The answer is the same on every process.
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
