// What a tape is made of: operations, and the constants and rows in which its cases differ.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/density/tape/tape.hpp>

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

/// Cases with the same operations. Constant k of case n is tiles[(n / width * constants + k) *
/// width
/// + n % width], and rows likewise; the last tile is filled up with its last case.
struct TapeProgram {
  std::vector<TapeNode> nodes;
  /// Of `value`, `constant` and `dot`: number of its first constant or row, as far as it has any.
  std::vector<std::int32_t> first_constant;
  std::vector<std::int32_t> first_row;
  Index constants = 0;  ///< of a case
  Index rows = 0;       ///< of a case
  Index cases = 0;
  Index width = 0;
  std::vector<double, Eigen::aligned_allocator<double>> tiles;
  std::vector<std::int32_t> row_tiles;
  /// Of row k: all cases read the same one.
  std::vector<bool> is_shared;

  /// Case after case, as they are written; `settle` lays them out in tiles.
  void add(const TapeText& text);
  void settle();

  /// Of case n, `width` apart from each other.
  const double* constants_of(Index n) const {
    return tiles.data() + n / width * width * constants + n % width;
  }
  std::int32_t row(Index n, Index k) const {
    return row_tiles[static_cast<std::size_t>((n / width * rows + k) * width + n % width)];
  }
};

struct Tape::Programs {
  std::vector<TapeProgram> all;
  std::vector<TapePlace> places;  ///< of cases, in the order in which they were written
};

}  // namespace mixwell
