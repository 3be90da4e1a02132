// CSV tables: splitting lines into cells, and cells into numbers.
// SPDX-License-Identifier: Apache-2.0
#include "base/memory.hpp"
#include "data/text.hpp"
#include "files/input_file.hpp"

#include <mixwell/data.hpp>
#include <mixwell/error.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>

namespace mixwell {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// One line of a CSV file, consumed cell by cell.
class LineReader {
 public:
  LineReader(std::string_view rest, std::string place) : rest_(rest), place_(std::move(place)) {}

  std::vector<std::string> cells() {
    std::vector<std::string> all = {cell()};
    while (!rest_.empty()) {
      rest_.remove_prefix(1);  // the separator
      all.push_back(cell());
    }
    return all;
  }

 private:
  std::string cell() {
    skip_blanks();
    if (!rest_.empty() && rest_.front() == '"') return quoted_cell();
    const std::size_t end = std::min(rest_.find(','), rest_.size());
    const std::string text(trimmed(rest_.substr(0, end)));
    rest_.remove_prefix(end);
    return text;
  }

  std::string quoted_cell() {
    std::string text;
    rest_.remove_prefix(1);
    for (;;) {
      const std::size_t end = rest_.find('"');
      if (end == std::string_view::npos)
        throw InputError(place_ + ": a cell opens with \" and never closes on this line");
      text += rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (rest_.empty() || rest_.front() != '"') break;
      text += '"';
      rest_.remove_prefix(1);
    }
    require_separator();
    return text;
  }

  void require_separator() {
    skip_blanks();
    if (!rest_.empty() && rest_.front() != ',')
      throw InputError(place_ + ": text follows a quoted cell; wanted a comma or the line's end");
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
  }

  std::string_view rest_;
  std::string place_;
};

/// Of a text that a string holds: itself, and what does not fit into it.
double bytes_of(const std::string& text) {
  const std::size_t beside = text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
  return static_cast<double>(sizeof(std::string) + beside);
}

void skip_byte_order_mark(std::string& line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
}

bool is_missing(std::string_view cell) {
  return cell.empty() || cell == "NA" || cell == "NaN" || cell == "nan";
}

/// Different ones, in rising order.
std::vector<std::string> levels_of(std::vector<std::string> cells) {
  const auto is_number = [](const std::string& cell) { return finite_number(cell).has_value(); };
  const bool are_numbers = std::all_of(cells.begin(), cells.end(), is_number);
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  if (are_numbers)
    std::stable_sort(cells.begin(), cells.end(), [](const std::string& a, const std::string& b) {
      return *finite_number(a) < *finite_number(b);
    });
  return cells;
}

/// "" where the number obeys.
std::string broken_rule(const NumberRule& rule, double value) {
  const auto number = [](double x) {
    std::ostringstream text;
    text << x;
    return text.str();
  };
  if (rule.is_whole && value != std::floor(value)) return "must be a whole number";
  if (rule.is_open && !(value > rule.least)) return "must be above " + number(rule.least);
  if (!(value >= rule.least)) return "must be at least " + number(rule.least);
  return value <= rule.most ? "" : "must be at most " + number(rule.most);
}

}  // namespace

CsvTable::CsvTable(const std::string& path, const FilePart& part) : path_(path), part_(part) {
  InputFile in(path, "a header and at least one row");
  std::string line;
  double bytes = 0;
  GrowingMemory memory;
  while (in.next_line(line)) {
    const int number = in.line_number();
    if (number == 1) skip_byte_order_mark(line);
    if (trimmed(line).empty()) continue;
    std::vector<std::string> cells = LineReader(line, place(path, number)).cells();
    for (const std::string& cell : cells) bytes += bytes_of(cell);
    memory.now(bytes, [&] { return place(path, number) + ": the table up to this line"; });
    if (columns_.empty()) {
      read_header(std::move(cells), place(path, number));
      if (!part.is_whole()) rows_before_ = in.keep_part(part.k, part.count, part.is_counted);
      continue;
    }
    if (cells.size() != columns_.size())
      throw InputError(place(path, number) + ": row " +
                       std::to_string(rows_before_ + std::ssize(lines_) + 1) + " has " +
                       std::to_string(cells.size()) + " cells, but the header has " +
                       std::to_string(columns_.size()) + " columns");
    std::move(cells.begin(), cells.end(), std::back_inserter(cells_));
    lines_.push_back(number);
  }
  rows_ = static_cast<Index>(lines_.size());
  if (rows_ == 0 && part.is_whole())
    throw InputError(path + ": no rows; wanted a header and at least one row");
}

void CsvTable::read_header(std::vector<std::string> names, const std::string& place) {
  columns_ = std::move(names);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].empty())
      throw InputError(place + ": column " + std::to_string(i + 1) + " has no name in the header");
    if (!positions_.emplace(columns_[i], static_cast<Index>(i)).second)
      throw InputError(place + ": the header names column " + in_quotes(columns_[i]) + " twice");
  }
}

Index CsvTable::find(const std::string& column) const {
  const auto found = positions_.find(column);
  if (found != positions_.end()) return found->second;
  throw InputError(path_ + ": no column " + in_quotes(column) + suggestion(column, columns_));
}

const std::string& CsvTable::text(Index row, Index column) const {
  return cells_.at(static_cast<std::size_t>(row) * columns_.size() +
                   static_cast<std::size_t>(column));
}

int CsvTable::line(Index row) const { return lines_.at(static_cast<std::size_t>(row)); }

std::string CsvTable::cell_place(Index row, Index column) const {
  return place(path_, line(row)) + ": row " + std::to_string(rows_before_ + row + 1) + ", column " +
         in_quotes(columns_[static_cast<std::size_t>(column)]) + ": " +
         in_quotes(text(row, column));
}

CellType CsvTable::type(const std::string& column) const {
  const Index position = find(column);
  CellType type = CellType::whole;
  bool is_empty = true;
  for (Index row = 0; row < rows_; ++row) {
    const std::string& cell = text(row, position);
    if (is_missing(cell)) continue;
    is_empty = false;
    const std::optional<double> value = finite_number(cell);
    if (!value) return CellType::word;
    if (*value != std::floor(*value)) type = CellType::real;
  }
  if (is_empty)
    throw InputError(path_ + ": column " + in_quotes(column) + ": a value is missing in every row");
  return type;
}

Eigen::VectorXd CsvTable::numbers(const std::string& column, const NumberRule& rule) const {
  const Index position = find(column);
  Eigen::VectorXd values(rows_);
  for (Index row = 0; row < rows_; ++row) {
    const std::optional<double> value = finite_number(text(row, position));
    if (!value) throw InputError(cell_place(row, position) + " is no finite number");
    if (const std::string broken = broken_rule(rule, *value); !broken.empty())
      throw InputError(cell_place(row, position) + " " + broken);
    values[row] = *value;
  }
  return values;
}

Categories CsvTable::categories(const std::string& column) const {
  const Index position = find(column);
  std::vector<std::string> cells;
  for (Index row = 0; row < rows_; ++row) {
    cells.push_back(text(row, position));
    if (is_missing(cells.back())) throw InputError(cell_place(row, position) + " is no level");
  }
  return categories(column, levels_of(std::move(cells)));
}

Categories CsvTable::categories(const std::string& column,
                                const std::vector<std::string>& levels) const {
  const Index position = find(column);
  Categories all{.levels = levels, .codes = {}};
  std::unordered_map<std::string_view, Index> codes;
  for (const std::string& level : all.levels)
    codes.emplace(level, static_cast<Index>(codes.size()));
  for (Index row = 0; row < rows_; ++row) {
    const std::string& cell = text(row, position);
    const auto found = codes.find(cell);
    if (found == codes.end())
      throw InputError(cell_place(row, position) + " is no level" + suggestion(cell, levels));
    all.codes.push_back(found->second);
  }
  return all;
}

std::vector<Index> CsvTable::whole_rows(const std::vector<std::string>& columns) const {
  std::vector<Index> positions;
  for (const std::string& column : columns) positions.push_back(find(column));
  std::vector<Index> kept;
  for (Index row = 0; row < rows_; ++row) {
    const auto lacks = [&](Index position) { return is_missing(text(row, position)); };
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
      if (!is_missing(text(row, find(column)))) continue;
      throw InputError(cell_place(row, find(column)) + ": a value is missing, as in " +
                       std::to_string(rows_ - all) + " of " + std::to_string(rows_) + " rows; " +
                       cure);
    }
  }
}

Index CsvTable::drop_missing(const std::vector<std::string>& columns) {
  const std::vector<Index> kept = whole_rows(columns);
  const Index dropped = rows_ - static_cast<Index>(kept.size());
  if (kept.empty() && part_.is_whole())
    throw InputError(path_ + ": a value is missing in every row");
  if (dropped > 0) keep_rows(kept);
  return dropped;
}

void CsvTable::keep_rows(const std::vector<Index>& rows) {
  std::vector<std::string> cells;
  std::vector<int> lines;
  for (const Index row : rows) {
    for (Index k = 0; k < static_cast<Index>(columns_.size()); ++k) cells.push_back(text(row, k));
    lines.push_back(line(row));
  }
  cells_ = std::move(cells);
  lines_ = std::move(lines);
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
