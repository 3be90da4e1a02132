// The contents of a tape: programs of operations, and the constants and rows of each case.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/detail/tape/tape.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mixwell {

/// a, b and c are earlier nodes, or -1. In a `dot`, `a` is the number of its constants and values.
struct TapeNode {
  TapeOperation operation{};
  std::int32_t a = -1;
  std::int32_t b = -1;
  std::int32_t c = -1;

  friend bool operator==(const TapeNode&, const TapeNode&) = default;
};

/// One case as it was recorded: the constants of `constant` and `dot`, and the rows of `value` and
/// `dot`, in the order of the nodes. The last node is the result.
class TapeText {
 public:
  std::vector<TapeNode> nodes;
  std::vector<double> constants;
  std::vector<std::int32_t> rows;

  void clear();
  /// The node of a number. A constant gets a new node.
  std::int32_t node_of(const TapeNumber& number);
  /// The node of the row's value: the existing one, if any.
  std::int32_t value_of_row(std::int32_t row);
  std::int32_t add(TapeOperation operation, std::int32_t a, std::int32_t b, std::int32_t c);
  /// The nodes as bytes. Equal nodes have equal bytes.
  std::string signature() const;

 private:
  std::map<std::int32_t, std::int32_t> known_;  ///< nodes of values, by row
};

/// The location of a case: its program, and its index in the program.
struct TapePlace {
  std::int32_t program = 0;
  std::int32_t place = 0;

  friend auto operator<=>(const TapePlace&, const TapePlace&) = default;
};

/// The number of lanes for a number of cases.
constexpr Index lanes_for(Index cases) { return cases == 1 ? 1 : cases <= 8 ? 4 : 16; }

/// Constants of cases, in tiles of `width` cases. In a tile, constant k of case l has the index k *
/// width + l. Tiles are stored in blocks that are filled one after another, so nothing is copied
/// when a million cases are recorded.
class TapeTiles {
 public:
  /// Adds one case. All cases must have the same number of constants.
  void add(const std::vector<double>& constants);
  /// Chooses the best width for the number of cases. Lanes that the last tile does not need are
  /// copies of its last case.
  void settle();

  Index width() const noexcept { return width_; }
  Index constants() const noexcept { return constants_; }
  Index cases() const noexcept { return cases_; }
  /// The constants of case n, which are width() apart.
  const double* constants_of(Index n) const { return blocks_[block_of(n)].data() + within(n); }

 private:
  /// The size of a block, large enough for huge pages.
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

/// The rows that cases read. Each node that reads a row has one row for all cases, or one row for
/// each case if the rows differ.
class TapeRows {
 public:
  void add(const std::vector<std::int32_t>& rows);
  bool is_shared(Index k) const { return own_[static_cast<std::size_t>(k)].empty(); }
  std::int32_t row(Index n, Index k) const {
    const auto place = static_cast<std::size_t>(k);
    return own_[place].empty() ? first_[place] : own_[place][static_cast<std::size_t>(n)];
  }

 private:
  std::vector<std::int32_t> first_;             ///< rows of the first case
  std::vector<std::vector<std::int32_t>> own_;  ///< rows of all cases, or empty
  std::size_t cases_ = 0;
};

/// Cases with the same operations.
struct TapeProgram {
  std::vector<TapeNode> nodes;
  /// For each node of kind `value`, `constant` or `dot`: index of its first constant or row, if it
  /// has one.
  std::vector<std::int32_t> first_constant;
  std::vector<std::int32_t> first_row;
  TapeTiles tiles;
  TapeRows rows;

  /// Adds one case after another, in the order of recording. Call settle() after the last.
  void add(const TapeText& text);
  void settle();
};

struct Tape::Programs {
  std::vector<TapeProgram> all;
  std::vector<TapePlace> places;  ///< location of each case, in the order of recording
};

}  // namespace mixwell
