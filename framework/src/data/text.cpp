// Lines of data files, their cells, and the meaning of cells: numbers, missing values, labels.
// SPDX-License-Identifier: Apache-2.0
#include "data/text.hpp"

#include "base/split.hpp"
#include "files/input_file.hpp"

#include <mixwell/data/data.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace mixwell {
namespace {

/// Texts that mean a missing value, in addition to the empty cell. The first texts are the
/// `na_values` of pandas (pandas.read_csv, version 2.2).
constexpr std::array<std::string_view, 21> missing_texts = {
    "#N/A", "#N/A N/A", "#NA",     "-1.#IND", "-1.#QNAN", "-NaN", "-nan",
    "<NA>", "1.#IND",   "1.#QNAN", "N/A",     "NA",       "NULL", "NaN",
    "None", "n/a",      "nan",     "null",    "na",       "?",    "."};

constexpr std::string_view blanks = " \t\r";

/// Reads one line of a CSV file cell by cell.
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
        throw InputError(place_ +
                         ": a cell begins with the quote \", but this quote is not closed on this "
                         "line. Close the quote");
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
      throw InputError(place_ +
                       ": text follows a quoted cell. Put a comma or the end of the line after the "
                       "closing quote");
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
  }

  std::string_view rest_;
  std::string place_;
};

/// The part of the line outside quotes.
std::string unquoted(std::string_view line) {
  std::string text;
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    if (!inside) text += c;
  }
  return text;
}

}  // namespace

std::vector<std::string> csv_cells(std::string_view line, const std::string& place) {
  return LineReader(line, place).cells();
}

void refuse_other_separator(std::string_view header, const std::string& place) {
  const std::string text = unquoted(header);
  if (text.find(',') != std::string::npos) return;
  const auto refuse = [&](char separator, const char* name, const char* writer) {
    if (trimmed(text).find(separator) == std::string_view::npos) return;
    throw InputError(place + ": the cells of the header are separated by " + name +
                     ", but a CSV file needs commas. Save the file with commas" + writer +
                     ". If the header is the name of a single column, put this name in quotes");
  };
  refuse(';', "semicolons", " and decimal points (R: write.csv, not write.csv2)");
  refuse('\t', "tabs", "");
}

std::optional<double> finite_number(std::string_view text) noexcept {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

bool is_missing(std::string_view cell) noexcept {
  return cell.empty() ||
         std::find(missing_texts.begin(), missing_texts.end(), cell) != missing_texts.end();
}

bool LabelLess::operator()(std::string_view a, std::string_view b) const noexcept {
  const auto x = finite_number(a);
  const auto y = finite_number(b);
  if (x && y) return *x < *y;
  return x.has_value() != y.has_value() ? x.has_value() : a < b;
}

TextLines::TextLines(const std::string& path, const std::string& wanted)
    : path_(path), file_(std::make_unique<InputFile>(path, wanted)) {}
TextLines::~TextLines() = default;

bool TextLines::next() {
  if (!file_->next_line(line_)) return false;
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  require_utf8(line_, [&] { return place() + ": the line " + in_quotes(line_); });
  return true;
}

std::string TextLines::place() const { return mixwell::place(path_, file_->line_number()); }

}  // namespace mixwell
