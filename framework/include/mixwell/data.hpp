// Reading tables of numbers, with errors that name file, row and column.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/types.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// A CSV file with a header, cells kept as text until a column is asked for as numbers.
class MIXWELL_EXPORT CsvTable {
 public:
  /// Separator `,`; cells may be quoted with `"` (doubled inside); blanks around cells are cut; LF
  /// or CRLF. Throws InputError for a missing, empty or ragged file, a repeated or empty column
  /// name, no rows.
  explicit CsvTable(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  const std::vector<std::string>& columns() const noexcept { return columns_; }
  Index rows() const noexcept { return rows_; }
  /// Position of a column; throws InputError with the nearest name.
  Index find(const std::string& column) const;
  const std::string& text(Index row, Index column) const;
  /// Line of the file on which a row stands (1-based).
  int line(Index row) const;
  /// A whole column as finite numbers; a cell that is no number, or NaN or infinite, throws
  /// InputError naming file:line, row, column and the text found.
  Eigen::VectorXd numbers(const std::string& column) const;

 private:
  std::string path_;
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;  // row-major
  std::vector<int> lines_;
  Index rows_ = 0;
};

}  // namespace mixwell
