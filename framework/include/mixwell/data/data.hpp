// Readers for plain or gzipped data files: CSV, LIBSVM, IDX, and text files read line by line.
// Their errors name the file and the place in it.
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

/// Returns the finite number that the whole text represents, or nothing. The text may begin with
/// one `+`.
MIXWELL_EXPORT std::optional<double> finite_number(std::string_view text) noexcept;

/// True if a cell has no value: it is empty, or its whole text is `na`, `?`, `.`, or one that
/// pandas reads as missing (`NA`, `N/A`, `NaN`, `NULL`, `None`, ...). Files from the UCI
/// repository, SAS and Stata use `?` or `.`.
MIXWELL_EXPORT bool is_missing(std::string_view cell) noexcept;

/// The order of labels and of the levels of a factor. Numbers come first, ordered by value, so 1,
/// 01, +1 and 1.0 are the same label. All other texts follow.
struct MIXWELL_EXPORT LabelLess {
  bool operator()(std::string_view a, std::string_view b) const noexcept;
};

/// A set of labels. Among equal labels, the set keeps the one that was inserted first.
using LabelSet = std::set<std::string, LabelLess>;

class InputFile;

/// Reads the lines of a plain or gzipped file in order. The first bytes of the file, not its name,
/// decide whether it is gzipped. A byte order mark is skipped. Throws an InputError with the file's
/// name if the file is missing, unreadable or empty (`wanted` describes what it should contain), if
/// compressed data are damaged, if a line exceeds 64 MiB, if text is not UTF-8, or if lines end in
/// CR only.
class MIXWELL_EXPORT TextLines {
 public:
  TextLines(const std::string& path, const std::string& wanted);
  ~TextLines();

  /// Reads the next line, without its end (LF or CRLF). Returns false after the last line.
  bool next();
  /// The line that was read last.
  const std::string& line() const noexcept { return line_; }
  /// The place of the last line that was read, for messages: "ratings.dat:17". Lines are counted
  /// from 1.
  std::string place() const;

 private:
  std::string path_;
  std::string line_;
  std::unique_ptr<InputFile> file_;
};

/// A column of words, encoded as whole numbers.
struct Categories {
  std::vector<std::string> levels;  ///< distinct, ascending (LabelLess)
  std::vector<Index> codes;         ///< for each row, the index of its level, from 0
};

/// Rules for the numbers of a column. Each number must also be finite.
struct NumberRule {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool is_open = false;   ///< must be above `least`, not equal to it
  bool is_whole = false;  ///< must be whole, like counts or the labels 0 and 1
};

/// The type of a column, determined from the cells that are not missing.
enum class CellType { whole, real, word };

/// A CSV file with a header. Cells are kept as text until a column is requested as numbers.
class MIXWELL_EXPORT CsvTable {
 public:
  /// Reads a file, plain or gzipped. The separator is `,`. Cells may be quoted with `"`. A `"`
  /// inside a quoted cell is written twice. Blanks around cells are removed. Lines end in LF or
  /// CRLF. A byte order mark is skipped. A first column without a name is dropped (row names, as R
  /// and pandas write them). A last column that has no name and only empty cells is dropped too.
  /// Throws InputError if the file is missing, empty or ragged, has no rows, has any other column
  /// without a name, has a column name that is not UTF-8, is encoded as UTF-16, uses a different
  /// separator, has a line longer than 64 MiB, or has more cells than fit in RAM.
  explicit CsvTable(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  const std::vector<std::string>& columns() const noexcept { return columns_; }
  Index rows() const noexcept { return rows_; }
  bool has(const std::string& column) const noexcept { return positions_.contains(column); }
  /// True if the file has row names in a first column without a name.
  bool has_row_names() const noexcept { return has_row_names_; }
  /// Returns the index of a column. Throws InputError if no column has this name (the message
  /// suggests a similar name, if any), or if several columns have this name.
  Index find(const std::string& column) const;
  /// Returns a cell as it is written. Throws InputError if it is not UTF-8.
  const std::string& text(Index row, Index column) const;
  /// Line of the file that contains a row (counted from 1).
  int line(Index row) const;
  /// The place of a cell for messages: `FILE:3: row 2, column "x"`. Rows are counted from 1 after
  /// the header, including rows that drop_missing() has removed.
  std::string place(Index row, const std::string& column) const;
  /// Returns the type of a column. Throws InputError if all its cells are missing.
  CellType type(const std::string& column) const;
  /// Returns a whole column as finite numbers. Throws InputError if a cell is missing, is not a
  /// finite number, or breaks the rule. The message has file:line, row, column, text and rule.
  Eigen::VectorXd numbers(const std::string& column, const NumberRule& rule = {}) const;
  /// Returns a whole column as categories, such as groups, times or words. Throws InputError with
  /// file:line, row and column if a cell is missing. O(rows log rows).
  Categories categories(const std::string& column) const;
  /// Returns a whole column as categories with the given levels, such as the levels of a model's
  /// training data. Throws InputError if a cell is not one of these levels. The message has
  /// file:line, row, column and a similar level, if any.
  Categories categories(const std::string& column, const std::vector<std::string>& levels) const;
  /// Throws InputError if a cell of these columns is missing (is_missing). The message has
  /// file:line, row and column of the first missing cell and the number of rows with missing cells,
  /// and ends with `cure`.
  void refuse_missing(const std::vector<std::string>& columns, const std::string& cure) const;
  /// Returns the distinct texts that mark values of these columns as missing, such as `NA`.
  std::set<std::string> missing_texts(const std::vector<std::string>& columns) const;
  /// Removes the rows in which a cell of one of these columns is missing (is_missing). Returns the
  /// number of removed rows. Throws InputError if no row remains.
  Index drop_missing(const std::vector<std::string>& columns);
  /// Applies the manifest key `missing`. If the key is "drop", this function calls drop_missing(),
  /// and returns a remark with the number of removed rows, or "" if no row was removed. Otherwise
  /// it calls refuse_missing() with a cure that names this key and ends with `more`.
  std::string settle_missing(const std::vector<std::string>& columns, const std::string& missing,
                             const std::string& more = {});

 private:
  /// The origin of a row.
  struct RowPlace {
    int line;      ///< line of the file, counted from 1
    Index number;  ///< number of the row in the file, counted from 1
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
  std::unordered_map<std::string, Index> positions_;  // index, or -1 if columns share the name
  bool has_row_names_ = false;
  bool has_last_comma_ = false;
  std::vector<std::string> cells_;  // row-major
  std::vector<RowPlace> row_places_;
  Index rows_ = 0;
};

/// Indicators of all levels except the first (treatment contrasts), rows x (levels - 1). Row n has
/// 1 in column k if its level is k + 1.
MIXWELL_EXPORT Eigen::MatrixXd indicators(const Categories& categories);

/// A file in LIBSVM's text format. Each line has a label and then `index:value` pairs, separated by
/// blanks. Indices start at 1 and must ascend strictly within a line. Values that are not listed
/// are 0. `#` begins a comment.
class MIXWELL_EXPORT LibsvmTable {
 public:
  /// Reads a file. Throws InputError if a label is not a finite number, if a pair is invalid, if an
  /// index is below 1, above `limit` (0 = no limit) or not above the previous one, if there are no
  /// rows, if a line exceeds 64 MiB, or if there are more pairs than fit in RAM. A message about a
  /// label, a pair or an index has file:line and the invalid text.
  explicit LibsvmTable(const std::string& path, Index limit = 0);

  const std::string& path() const noexcept { return path_; }
  Index rows() const noexcept { return static_cast<Index>(labels_.size()); }
  Index largest_index() const noexcept { return largest_; }
  /// The label as written, without a leading `+`.
  const std::string& label(Index row) const;
  /// Line of the file that contains a row (counted from 1).
  int line(Index row) const;
  /// Returns the given rows as a matrix with `columns` >= largest_index() columns. Throws
  /// InputError if there is not enough RAM.
  Eigen::MatrixXd dense(const std::vector<Index>& rows, Index columns) const;

 private:
  void read_line(std::string_view rest, int line, Index limit);
  double bytes() const noexcept;

  std::string path_;
  std::vector<std::string> labels_;
  std::vector<int> lines_;
  std::vector<std::size_t> ends_;  // end of each row in indices_ and values_
  std::vector<Index> indices_;
  std::vector<double> values_;
  Index largest_ = 0;
};

/// Images and labels from IDX files, the format of MNIST: unsigned bytes after a big-endian header
/// (magic 2051: count, height, width; magic 2049: count).
struct MIXWELL_EXPORT IdxImages {
  Index height = 0;
  Index width = 0;
  std::vector<std::uint8_t> labels;  ///< one for each image of the file
  std::vector<Index> kept;           ///< indices of the images in `pixels`, ascending
  Eigen::MatrixXd pixels;  ///< kept.size() x (height * width): one image in each row, stored row
                           ///< by row, with values divided by 255
};

/// Reads the files, and keeps the images for which wanted(label) is true. Throws InputError if a
/// magic number is wrong, if a file is too short or too long, if the counts differ, or if there are
/// more images than fit in RAM.
MIXWELL_EXPORT IdxImages read_idx(const std::string& images, const std::string& labels,
                                  const std::function<bool(std::uint8_t)>& wanted);

}  // namespace mixwell
