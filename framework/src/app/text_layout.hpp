// Formats effective sample sizes, tables and lines that fit the terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::app {

/// "4009 (3080 to 5220)": an effective sample size with its 95 % interval
/// exp(log ESS +- 1.96 mcse / ESS), because `mcse` / ESS is the error of log ESS. "34 (rough)" if
/// the interval is wider than a factor of 3 on each side. Only the number if `mcse` is unknown. "-"
/// if the number is not finite.
std::string ess_text(double ess, double mcse);

/// The number of characters of UTF-8 text (bytes that are not continuation bytes).
std::size_t width_of(std::string_view text);

/// The first line of a text, cut to at most `length` bytes. A cut line ends with "...".
std::string cut(const std::string& text, std::size_t length);

/// A table of text. A row may have fewer cells than there are columns.
class TextTable {
 public:
  /// A heading that begins with `>` makes its column right-aligned.
  explicit TextTable(std::vector<std::string> headings);
  void add(std::vector<std::string> row);
  /// Columns are separated by two spaces; lines have no trailing spaces.
  /// If `width` is not 0, the cells of the last column are wrapped to it, but to at least 30
  /// characters.
  std::string text(std::size_t width = 0) const;

 private:
  std::string line(const std::vector<std::string>& row, std::size_t width) const;

  std::vector<std::string> headings_;
  std::vector<bool> stand_right_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

/// The width of the terminal in characters, at least 60; 100 if standard output is not a terminal.
std::size_t terminal_width();

/// Wraps the text at spaces into lines of at most `width` characters, including `indent` spaces at
/// the beginning of each line. A longer word gets its own line. Line breaks of the text are kept.
/// The result has no final line break.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

}  // namespace mixwell::app
