// Reading data files, plain or gzipped, with errors that name file and place; what the cells of a
// table say: numbers, missing values, labels; lines of a data file, for formats that a component
// reads itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mixwell {

/// The finite number that the whole text spells, if it does. It may begin with one `+`.
MIXWELL_EXPORT std::optional<double> finite_number(std::string_view text) noexcept;

/// Whether a cell has no value: it is empty, or is one of the texts that pandas reads as missing
/// (`NA`, `N/A`, `NaN`, `NULL`, `None`, ...), `na`, or a single `?` or `.`, as the UCI repository,
/// SAS and Stata write it.
MIXWELL_EXPORT bool is_missing(std::string_view cell) noexcept;

/// The order of labels, and of the levels of a factor: numbers by value, so that 1, 01, +1 and 1.0
/// are the same label; after them all other texts.
struct MIXWELL_EXPORT LabelLess {
  bool operator()(std::string_view a, std::string_view b) const noexcept;
};

/// Of equal ones, the one that was inserted first.
using LabelSet = std::set<std::string, LabelLess>;

class InputFile;

/// The lines of a file one after another, plain or gzipped (by its first bytes, whatever its name).
/// Throws InputError with the file's name: for a file that is missing, may not be read or is empty
/// (`wanted` says what it should hold), for compressed data that are damaged, for a line of more
/// than 64 MiB, for text that is not UTF-8, and for lines that end in CR only. A byte order mark is
/// skipped.
class MIXWELL_EXPORT TextLines {
 public:
  TextLines(const std::string& path, const std::string& wanted);
  ~TextLines();

  /// Reads the next line, without its end (LF or CRLF); false after the last.
  bool next();
  /// The line that was read last.
  const std::string& line() const noexcept { return line_; }
  /// Where it stands, for messages: "ratings.dat:17", counted from 1.
  std::string place() const;

 private:
  std::string path_;
  std::string line_;
  std::unique_ptr<InputFile> file_;
};

/// A column of words as whole numbers.
struct Categories {
  std::vector<std::string> levels;  ///< different, in rising order (LabelLess)
  std::vector<Index> codes;         ///< of each row, its place among the levels, from 0
};

/// What the numbers of a column must be, beside finite.
struct NumberRule {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool is_open = false;   ///< above `least`, not at it
  bool is_whole = false;  ///< counts, labels of 0 and 1
};

/// What the cells of a column are that are not missing.
enum class CellType { whole, real, word };

/// A CSV file with a header, cells kept as text until a column is asked for as numbers.
class MIXWELL_EXPORT CsvTable {
 public:
  /// Plain or gzipped. Separator `,`; cells may be quoted with `"` (doubled inside); blanks around
  /// cells are cut; LF or CRLF; a byte order mark is skipped. The table is without a first column
  /// that has no name (row names, as R and pandas write them), and without a last one that has
  /// neither name nor cells. Throws InputError for a missing, empty or ragged file, another column
  /// without a name, a name that is not UTF-8, another separator, UTF-16, no rows, a line of more
  /// than 64 MiB, and more cells than there is memory.
  explicit CsvTable(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  const std::vector<std::string>& columns() const noexcept { return columns_; }
  Index rows() const noexcept { return rows_; }
  bool has(const std::string& column) const noexcept { return positions_.contains(column); }
  /// Whether the file has row names that have no name themselves.
  bool has_row_names() const noexcept { return has_row_names_; }
  /// Position of a column. Throws InputError with the nearest name, and for a name that several
  /// columns have.
  Index find(const std::string& column) const;
  /// A cell as it is written. Throws InputError for text that is not UTF-8.
  const std::string& text(Index row, Index column) const;
  /// Line of the file on which a row stands (1-based).
  int line(Index row) const;
  /// `FILE:3: row 2, column "x"`, for messages. Rows count from 1 after the header, and include
  /// those that drop_missing() has taken out.
  std::string place(Index row, const std::string& column) const;
  /// Throws InputError where all are missing.
  CellType type(const std::string& column) const;
  /// A whole column as finite numbers; a cell that is no number, NaN, infinite, missing or against
  /// the rule throws InputError naming file:line, row, column, the text found and the rule.
  Eigen::VectorXd numbers(const std::string& column, const NumberRule& rule = {}) const;
  /// A whole column of groups, times, words; a missing cell throws InputError with file:line, row
  /// and column. O(rows log rows).
  Categories categories(const std::string& column) const;
  /// The same of levels that are known, such as those of the data a model was made of; another one
  /// throws InputError with file:line, row, column and the nearest level.
  Categories categories(const std::string& column, const std::vector<std::string>& levels) const;
  /// Throws InputError for the first cell of the columns that is missing (is_missing), with
  /// file:line, row, column and how many rows have one; `cure` ends the message.
  void refuse_missing(const std::vector<std::string>& columns, const std::string& cure) const;
  /// The different texts of the columns' cells that are missing.
  std::set<std::string> missing_texts(const std::vector<std::string>& columns) const;
  /// Takes out the rows in which a cell of one of the columns is missing (is_missing). Returns how
  /// many; throws InputError where none is left.
  Index drop_missing(const std::vector<std::string>& columns);
  /// What `missing`, a key of a manifest, says: with "drop" the same, and a remark on how many
  /// there were, "" for none; else refuse_missing(), with that key as the cure and `more` after it.
  std::string settle_missing(const std::vector<std::string>& columns, const std::string& missing,
                             const std::string& more = {});

 private:
  /// Where a row stands.
  struct RowPlace {
    int line;      ///< of the file, from 1
    Index number;  ///< among the rows of the file, from 1
  };

  const std::string& cell(Index row, Index column) const;
  std::string place(Index row, Index column) const;
  std::string cell_place(Index row, Index column) const;
  std::string columns_named(const std::string& name) const;
  std::vector<Index> whole_rows(const std::vector<std::string>& columns) const;
  void keep_rows(const std::vector<Index>& rows);
  void read_header(std::vector<std::string> names, int line);
  void add_row(std::vector<std::string> cells, int line);

  std::string path_;
  int header_line_ = 0;
  std::vector<std::string> columns_;
  std::unordered_map<std::string, Index> positions_;  // -1: several columns have the name
  bool has_row_names_ = false;
  bool has_last_comma_ = false;
  std::vector<std::string> cells_;  // row-major
  std::vector<RowPlace> row_places_;
  Index rows_ = 0;
};

/// Indicators of all levels but the first: row n has 1 in column k where its level is k + 1. (rows
/// x levels - 1; treatment contrasts.)
MIXWELL_EXPORT Eigen::MatrixXd indicators(const Categories& categories);

/// A file in LIBSVM's text format: in each line a label and then `index:value` pairs, separated by
/// blanks. Indices count from 1 and ascend; what is not listed is 0; `#` begins a comment.
class MIXWELL_EXPORT LibsvmTable {
 public:
  /// Throws InputError, with file:line and the text found, for a label that is no finite number, a
  /// pair that is none, an index below 1, above `limit` (0 = no limit) or not above the one before,
  /// for a file without rows, a line of more than 64 MiB, and more pairs than there is memory.
  explicit LibsvmTable(const std::string& path, Index limit = 0);

  const std::string& path() const noexcept { return path_; }
  Index rows() const noexcept { return static_cast<Index>(labels_.size()); }
  Index largest_index() const noexcept { return largest_; }
  /// As written, but without a leading `+`.
  const std::string& label(Index row) const;
  /// Line of the file on which a row stands (1-based).
  int line(Index row) const;
  /// The given rows, `columns` >= largest_index() wide. Throws InputError where there is no memory
  /// for them.
  Eigen::MatrixXd dense(const std::vector<Index>& rows, Index columns) const;

 private:
  void read_line(std::string_view rest, int line, Index limit);
  double bytes() const noexcept;

  std::string path_;
  std::vector<std::string> labels_;
  std::vector<int> lines_;
  std::vector<std::size_t> ends_;  // of each row among indices_ and values_
  std::vector<Index> indices_;
  std::vector<double> values_;
  Index largest_ = 0;
};

/// Images of an IDX file and their labels: unsigned bytes behind a big-endian header (magic 2051:
/// count, height, width; magic 2049: count), the format of MNIST.
struct MIXWELL_EXPORT IdxImages {
  Index height = 0;
  Index width = 0;
  std::vector<std::uint8_t> labels;  ///< of every image
  std::vector<Index> kept;           ///< which images are in `pixels`, ascending
  Eigen::MatrixXd pixels;            ///< kept x (height width), row by row of the image, over 255
};

/// Keeps the images whose label is `wanted`. Throws InputError for a wrong magic, a file that ends
/// too early or too late, for counts that differ, and for more images than there is memory.
MIXWELL_EXPORT IdxImages read_idx(const std::string& images, const std::string& labels,
                                  const std::function<bool(std::uint8_t)>& wanted);

}  // namespace mixwell
