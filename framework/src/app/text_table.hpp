// Columns of text that line up.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mixwell::app {

/// Characters of UTF-8 text: bytes that do not continue another one.
std::size_t width_of(std::string_view text);

/// The first line of a text, for a cell of so many bytes at most; "..." where it is cut.
std::string cut(const std::string& text, std::size_t length);

enum class Align { left, right };

/// Rows under a heading; a row may have fewer cells than there are columns.
class TextTable {
 public:
  struct Heading {
    std::string text;
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Heading> headings);
  void add(std::vector<std::string> row);
  /// Two spaces between columns, none at the ends of lines; `indent` spaces before each.
  std::string text(std::size_t indent = 0) const;

 private:
  std::string line(const std::vector<std::string>& row, std::size_t indent) const;

  std::vector<Heading> headings_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mixwell::app
