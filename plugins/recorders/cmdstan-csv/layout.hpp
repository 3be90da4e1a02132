// Which column of the file holds which number of a draw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::cmdstan_csv {

/// The statistics that Stan has come first under Stan's names, in Stan's order, as far as the run
/// records them; then the parameters; then other statistics as NAME__. Elements of arrays are
/// numbered from 1, first index fastest: b.1.1, b.2.1, ...
class Layout {
 public:
  /// The columns outlive it. Throws InputError where a name cannot stand in the first row, or
  /// stands there twice.
  explicit Layout(const std::vector<Column>& columns);

  /// Names, comma-separated, without the end of the line.
  std::string names() const;
  /// Appends the row of one draw of one chain. Throws RunError where a number is none of its
  /// column's type.
  void append_row(std::string& text, const Chunk& chunk, std::int64_t draw, Index chain,
                  Index chains, int digits) const;

 private:
  struct Place {
    std::size_t column;
    Index element;  ///< last index fastest
    std::string name;
  };

  void add(std::size_t column, const std::string& name);
  void check_names() const;
  void check(const Place& place, double value, std::int64_t draw, Index chain) const;

  const std::vector<Column>& columns_;
  std::vector<Place> places_;
};

/// Of the statistic with this ArviZ name, or null.
const Column* find_statistic(const std::vector<Column>& columns, std::string_view name);

}  // namespace mixwell::cmdstan_csv
