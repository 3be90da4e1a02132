// Reads CSV tables: splits lines into cells, and reads cells as numbers or categories.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory_limit.hpp"
#include "base/split.hpp"
#include "data/text.hpp"
#include "files/input_file.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/data/data.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace mixwell {
namespace {

/// The bytes of a string object, and of its text if the text is stored outside the object.
double bytes_of(const std::string& text) {
  const std::size_t beside = text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
  return static_cast<double>(sizeof(std::string) + beside);
}

/// The probable reason for a row with this many cells, and the fix.
std::string cause_of_ragged(const std::vector<std::string>& cells, std::size_t width,
                            bool header_ends_with_comma) {
  if (header_ends_with_comma && cells.size() + 1 == width)
    return ". The header ends with a comma, but this line does not. Delete the comma at the end of "
           "the header";
  if (cells.size() != width + 1) return ". Give each row as many cells as the header";
  if (cells.back().empty())
    return ". This line ends with a comma, but the header does not. Delete the comma at the end of "
           "each row, or add one to the header";
  return ". If each row begins with a row name, begin the header with an empty cell. In R, use "
         "write.csv instead of write.table";
}

/// The rule that the number breaks, or "".
std::string broken_rule(const NumberRule& rule, double value) {
  const auto number = [](double x) { return fmt::format("{:g}", x); };
  if (rule.is_whole && value != std::floor(value)) return "must be a whole number";
  if (rule.is_open && !(value > rule.least)) return "must be above " + number(rule.least);
  if (!(value >= rule.least)) return "must be at least " + number(rule.least);
  return value <= rule.most ? "" : "must be at most " + number(rule.most);
}

}  // namespace

CsvTable::CsvTable(const std::string& path) : path_(path) {
  InputFile in(path, "a header and at least one row");
  std::string line;
  double bytes = 0;
  GrowingMemory memory;
  while (in.next_line(line)) {
    const int number = in.line_number();
    if (trimmed(line).empty()) continue;
    if (columns_.empty()) refuse_other_separator(line, mixwell::place(path, number));
    std::vector<std::string> cells = csv_cells(line, mixwell::place(path, number));
    for (const std::string& cell : cells) bytes += bytes_of(cell);
    memory.now(bytes, [&] { return mixwell::place(path, number) + ": the table up to this line"; });
    if (columns_.empty()) {
      read_header(std::move(cells), number);
      continue;
    }
    add_row(std::move(cells), number);
  }
  rows_ = static_cast<Index>(row_places_.size());
  if (rows_ == 0)
    throw InputError(path + ": the table has no rows below the header. Add at least one row");
}

void CsvTable::read_header(std::vector<std::string> names, int line) {
  header_line_ = line;
  has_row_names_ = names.size() > 1 && names.front().empty();
  has_last_comma_ = names.size() > 1 && names.back().empty();
  const std::size_t first = has_row_names_ ? 1 : 0;
  if (has_last_comma_) names.pop_back();
  columns_.assign(names.begin() + static_cast<std::ptrdiff_t>(first), names.end());
  const std::string header = mixwell::place(path_, line);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto column = [&] { return header + ": column " + std::to_string(first + i + 1); };
    if (columns_[i].empty())
      throw InputError(column() + " has no name in the header. Name the column, or delete it");
    require_utf8(columns_[i], [&] { return column() + ": the name " + in_quotes(columns_[i]); });
    const auto [found, is_new] = positions_.emplace(columns_[i], static_cast<Index>(i));
    if (!is_new) found->second = -1;
  }
  if (columns_.empty())
    throw InputError(header + ": the header names no column. Name at least one column");
}

/// The first cell may be a row name, and the last cell may be empty after a final comma. Neither
/// belongs to a column.
void CsvTable::add_row(std::vector<std::string> cells, int line) {
  const std::size_t first = has_row_names_ ? 1 : 0;
  const std::size_t width = first + columns_.size() + (has_last_comma_ ? 1 : 0);
  const Index number = std::ssize(row_places_) + 1;
  const auto row = [&] { return mixwell::place(path_, line) + ": row " + std::to_string(number); };
  if (cells.size() != width)
    throw InputError(row() + " has " + std::to_string(cells.size()) +
                     " cells, but the header has " + std::to_string(width) + " columns" +
                     cause_of_ragged(cells, width, has_last_comma_));
  if (has_last_comma_ && !cells.back().empty())
    throw InputError(row() + ": the last column contains " + in_quotes(cells.back()) +
                     ", but it has no name in the header. Name the column, or delete it");
  const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(first);
  std::move(begin, begin + std::ssize(columns_), std::back_inserter(cells_));
  row_places_.push_back({line, number});
}

Index CsvTable::find(const std::string& column) const {
  const auto found = positions_.find(column);
  if (found == positions_.end())
    throw InputError(path_ + ": the table has no column " + in_quotes(column) +
                     suggestion(column, columns_));
  if (found->second < 0)
    throw InputError(mixwell::place(path_, header_line_) + ": columns " + columns_named(column) +
                     " have the same name " + in_quotes(column) +
                     ", so it is not clear which one is meant. Give each column its own name in "
                     "the header, or delete all but one");
  return found->second;
}

/// The numbers of these columns in the header, as "2 and 5".
std::string CsvTable::columns_named(const std::string& name) const {
  std::string numbers;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] == name)
      numbers += (numbers.empty() ? "" : " and ") + std::to_string(i + (has_row_names_ ? 2 : 1));
  return numbers;
}

const std::string& CsvTable::cell(Index row, Index column) const {
  return cells_.at(static_cast<std::size_t>(row) * columns_.size() +
                   static_cast<std::size_t>(column));
}

const std::string& CsvTable::text(Index row, Index column) const {
  const std::string& text = cell(row, column);
  require_utf8(text, [&] { return cell_place(row, column); });
  return text;
}

int CsvTable::line(Index row) const { return row_places_.at(static_cast<std::size_t>(row)).line; }

std::string CsvTable::place(Index row, Index column) const {
  const RowPlace& at = row_places_.at(static_cast<std::size_t>(row));
  return mixwell::place(path_, at.line) + ": row " + std::to_string(at.number) + ", column " +
         in_quotes(columns_[static_cast<std::size_t>(column)]);
}

std::string CsvTable::place(Index row, const std::string& column) const {
  return place(row, find(column));
}

std::string CsvTable::cell_place(Index row, Index column) const {
  return place(row, column) + ": " + in_quotes(cell(row, column));
}

CellType CsvTable::type(const std::string& column) const {
  const Index position = find(column);
  CellType type = CellType::whole;
  bool is_empty = true;
  for (Index row = 0; row < rows_; ++row) {
    const std::string& text = cell(row, position);
    if (is_missing(text)) continue;
    is_empty = false;
    const std::optional<double> value = finite_number(text);
    if (!value) return CellType::word;
    if (*value != std::floor(*value)) type = CellType::real;
  }
  if (is_empty)
    throw InputError(path_ + ": column " + in_quotes(column) +
                     ": the value is missing in every row. Fill in values, or use another column");
  return type;
}

Eigen::VectorXd CsvTable::numbers(const std::string& column, const NumberRule& rule) const {
  const Index position = find(column);
  Eigen::VectorXd values(rows_);
  for (Index row = 0; row < rows_; ++row) {
    const std::optional<double> value = finite_number(cell(row, position));
    if (!value)
      throw InputError(cell_place(row, position) +
                       (is_missing(cell(row, position))
                            ? " is a missing value, but each cell of this column must be a number. "
                              "Fill in the cell, or delete the row"
                            : " is not a finite number. Correct the cell, or delete the row"));
    if (const std::string broken = broken_rule(rule, *value); !broken.empty())
      throw InputError(cell_place(row, position) + " " + broken +
                       ". Correct the cell, or delete the row");
    values[row] = *value;
  }
  return values;
}

Categories CsvTable::categories(const std::string& column) const {
  const Index position = find(column);
  LabelSet levels;
  std::unordered_set<std::string_view> seen;
  for (Index row = 0; row < rows_; ++row) {
    const std::string& level = text(row, position);
    if (is_missing(level))
      throw InputError(
          cell_place(row, position) +
          " is a missing value, but each row needs a level. Fill in the cell, or delete the row");
    if (seen.insert(level).second) levels.insert(level);
  }
  return categories(column, {levels.begin(), levels.end()});
}

Categories CsvTable::categories(const std::string& column,
                                const std::vector<std::string>& levels) const {
  const Index position = find(column);
  Categories all{.levels = levels, .codes = {}};
  std::map<std::string_view, Index, LabelLess> places;
  for (const std::string& level : all.levels) places.emplace(level, std::ssize(places));
  std::unordered_map<std::string_view, Index> codes;
  for (Index row = 0; row < rows_; ++row) {
    const std::string& level = text(row, position);
    const auto [code, is_new] = codes.emplace(level, 0);
    if (is_new) {
      const auto found = places.find(level);
      if (found == places.end())
        throw InputError(
            cell_place(row, position) + " is not a level of this column in the training data" +
            suggestion(level, levels) + ". Correct the cell, or train on data with this level");
      code->second = found->second;
    }
    all.codes.push_back(code->second);
  }
  return all;
}

std::vector<Index> CsvTable::whole_rows(const std::vector<std::string>& columns) const {
  std::vector<Index> positions;
  for (const std::string& column : columns) positions.push_back(find(column));
  std::vector<Index> kept;
  for (Index row = 0; row < rows_; ++row) {
    const auto lacks = [&](Index position) { return is_missing(cell(row, position)); };
    if (std::none_of(positions.begin(), positions.end(), lacks)) kept.push_back(row);
  }
  return kept;
}

void CsvTable::refuse_missing(const std::vector<std::string>& columns,
                              const std::string& cure) const {
  const auto all = static_cast<Index>(whole_rows(columns).size());
  if (all == rows_) return;
  for (Index row = 0; row < rows_; ++row) {
    for (const std::string& column : columns) {
      if (!is_missing(cell(row, find(column)))) continue;
      throw InputError(
          cell_place(row, find(column)) + ": a value is missing. Values are missing in " +
          std::to_string(rows_ - all) + " of " + std::to_string(rows_) + " rows. " + cure);
    }
  }
}

std::set<std::string> CsvTable::missing_texts(const std::vector<std::string>& columns) const {
  std::set<std::string> texts;
  for (const std::string& column : columns) {
    const Index position = find(column);
    for (Index row = 0; row < rows_; ++row)
      if (is_missing(cell(row, position))) texts.insert(cell(row, position));
  }
  return texts;
}

Index CsvTable::drop_missing(const std::vector<std::string>& columns) {
  const std::vector<Index> kept = whole_rows(columns);
  const Index dropped = rows_ - static_cast<Index>(kept.size());
  if (kept.empty())
    throw InputError(path_ +
                     ": every row has a missing value in at least one of the columns that are "
                     "used. Fill in values, or use other columns");
  if (dropped > 0) keep_rows(kept);
  return dropped;
}

std::string CsvTable::settle_missing(const std::vector<std::string>& columns,
                                     const std::string& missing, const std::string& more) {
  if (missing != "drop") {
    refuse_missing(columns, "Set missing = \"drop\" to leave these rows out" + more);
    return "";
  }
  std::string texts;
  for (const std::string& text : missing_texts(columns))
    texts += (texts.empty() ? "" : ", ") + (text.empty() ? "an empty cell" : in_quotes(text));
  const Index dropped = drop_missing(columns);
  if (dropped == 0) return "";
  const bool one = dropped == 1;
  return std::to_string(dropped) + (one ? " row of " : " rows of ") + path_ +
         (one ? " has" : " have") + " a missing value (" + texts + ") and " + (one ? "is" : "are") +
         " left out.";
}

void CsvTable::keep_rows(const std::vector<Index>& rows) {
  std::vector<std::string> cells;
  std::vector<RowPlace> places;
  for (const Index row : rows) {
    for (Index k = 0; k < static_cast<Index>(columns_.size()); ++k) cells.push_back(cell(row, k));
    places.push_back(row_places_[static_cast<std::size_t>(row)]);
  }
  cells_ = std::move(cells);
  row_places_ = std::move(places);
  rows_ = static_cast<Index>(rows.size());
}

Eigen::MatrixXd indicators(const Categories& categories) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(
      std::ssize(categories.codes), std::max<Index>(std::ssize(categories.levels), 1) - 1);
  for (Index n = 0; n < all.rows(); ++n) {
    const Index code = categories.codes[static_cast<std::size_t>(n)];
    if (code > 0) all(n, code - 1) = 1.0;
  }
  return all;
}

}  // namespace mixwell
