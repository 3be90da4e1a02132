// Text for people: an effective sample size, tables, lines that fit the terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::app {

/// "4009 (3080 to 5220)": with its 95 % interval exp(log ESS +- 1.96 mcse / ESS), as its error is
/// one of the logarithm; "34 (rough)" where that is wider than a factor of 3 either way; the number
/// alone where no error is known, "-" where there is no number.
std::string ess_text(double ess, double mcse);

/// Characters of UTF-8 text: bytes that do not continue another one.
std::size_t width_of(std::string_view text);

/// The first line of a text, for a cell of so many bytes at most; "..." where it is cut.
std::string cut(const std::string& text, std::size_t length);

/// Rows under a heading; a row may have fewer cells than there are columns.
class TextTable {
 public:
  /// The cells of a column whose heading begins with `>` stand at its right end.
  explicit TextTable(std::vector<std::string> headings);
  void add(std::vector<std::string> row);
  /// Two spaces between columns, none at the ends of lines.
  std::string text() const;

 private:
  std::string line(const std::vector<std::string>& row) const;

  std::vector<std::string> headings_;
  std::vector<bool> stand_right_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

/// Columns of the terminal that standard output is, at least 60; 100 where it is none.
std::size_t terminal_width();

/// The text in lines of at most `width` characters, broken at spaces: a word that is longer stands
/// alone. Each line begins with `indent` spaces, which count; lines of the text stay apart. Without
/// the last line's end.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

}  // namespace mixwell::app
