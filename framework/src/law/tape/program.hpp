// What a tape is made of: operations, and the constants and rows in which its cases differ.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/detail/tape/tape.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mixwell {

/// a, b, c: nodes before it, or -1; of a dot `a` is how many constants and values it has.
struct TapeNode {
  TapeOperation operation{};
  std::int32_t a = -1;
  std::int32_t b = -1;
  std::int32_t c = -1;

  friend bool operator==(const TapeNode&, const TapeNode&) = default;
};

/// One case as it was written. Constants of `constant` and `dot`, rows of `value` and `dot`, in the
/// order of the nodes; the last node is the result.
class TapeText {
 public:
  std::vector<TapeNode> nodes;
  std::vector<double> constants;
  std::vector<std::int32_t> rows;

  void clear();
  /// The node of a number, which is written where it is a constant.
  std::int32_t node_of(const TapeNumber& number);
  /// Of the row's value: the one that is there already, if any.
  std::int32_t value_of_row(std::int32_t row);
  std::int32_t add(TapeOperation operation, std::int32_t a, std::int32_t b, std::int32_t c);
  /// Nodes that are the same are the same bytes.
  std::string signature() const;

 private:
  std::map<std::int32_t, std::int32_t> known_;  ///< nodes of values by their rows
};

/// Where a case is: which program, and its number there.
struct TapePlace {
  std::int32_t program = 0;
  std::int32_t place = 0;

  friend auto operator<=>(const TapePlace&, const TapePlace&) = default;
};

/// Lanes for so many cases.
constexpr Index lanes_for(Index cases) { return cases == 1 ? 1 : cases <= 8 ? 4 : 16; }

/// Constants of cases, in tiles of `width` cases: of a tile constant k of case l is number k *
/// width
/// + l. Tiles stand in blocks, which are filled one after the other, so that nothing is copied
/// where a million cases are written.
class TapeTiles {
 public:
  /// One more case, of as many constants as all others.
  void add(const std::vector<double>& constants);
  /// Takes the width that is best for so many cases; lanes that the last tile has left over are
  /// copies of its last case.
  void settle();

  Index width() const noexcept { return width_; }
  Index constants() const noexcept { return constants_; }
  Index cases() const noexcept { return cases_; }
  /// Of case n, width() apart from each other.
  const double* constants_of(Index n) const { return blocks_[block_of(n)].data() + within(n); }

 private:
  /// Large enough for the pages that machines like best.
  static constexpr Index block_bytes = Index{1} << 22;

  std::size_t block_of(Index n) const { return static_cast<std::size_t>(n / width_ / in_block_); }
  Index within(Index n) const { return n / width_ % in_block_ * width_ * constants_ + n % width_; }
  double* lane(Index n) { return blocks_[block_of(n)].data() + within(n); }
  void set_constants(Index count);
  void begin_block();
  void copy_case(Index from, Index to);

  std::vector<std::vector<double, Eigen::aligned_allocator<double>>> blocks_;
  Index width_ = 16;
  Index in_block_ = 1;  ///< tiles
  Index constants_ = 0;
  Index cases_ = 0;
};

/// Rows that cases read: of each place among the nodes one for all, or where they differ, one for
/// each case.
class TapeRows {
 public:
  void add(const std::vector<std::int32_t>& rows);
  bool is_shared(Index k) const { return own_[static_cast<std::size_t>(k)].empty(); }
  std::int32_t row(Index n, Index k) const {
    const auto place = static_cast<std::size_t>(k);
    return own_[place].empty() ? first_[place] : own_[place][static_cast<std::size_t>(n)];
  }

 private:
  std::vector<std::int32_t> first_;             ///< of the first case
  std::vector<std::vector<std::int32_t>> own_;  ///< of all cases, or none
  std::size_t cases_ = 0;
};

/// Cases with the same operations.
struct TapeProgram {
  std::vector<TapeNode> nodes;
  /// Of `value`, `constant` and `dot`: number of its first constant or row, as far as it has any.
  std::vector<std::int32_t> first_constant;
  std::vector<std::int32_t> first_row;
  TapeTiles tiles;
  TapeRows rows;

  /// Case after case, as they are written; then settle().
  void add(const TapeText& text);
  void settle();
};

struct Tape::Programs {
  std::vector<TapeProgram> all;
  std::vector<TapePlace> places;  ///< of cases, in the order in which they were written
};

}  // namespace mixwell
