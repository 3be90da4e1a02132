// Columns of text that line up.
// SPDX-License-Identifier: Apache-2.0
#include "app/text_table.hpp"

#include <algorithm>

namespace mixwell::app {
namespace {

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string blanks(width - width_of(cell), ' ');
  return align == Align::left ? cell + blanks : blanks + cell;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t length) {
  const std::string first = text.substr(0, text.find('\n'));
  return first.size() <= length ? first : first.substr(0, length - 3) + "...";
}

TextTable::TextTable(std::vector<Heading> headings) : headings_(std::move(headings)) {
  for (const Heading& heading : headings_) widths_.push_back(width_of(heading.text));
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(headings_.size());
  for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], width_of(row[i]));
  rows_.push_back(std::move(row));
}

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::string> names;
  for (const Heading& heading : headings_) names.push_back(heading.text);
  std::string all = line(names, indent);
  for (const auto& row : rows_) all += line(row, indent);
  return all;
}

std::string TextTable::line(const std::vector<std::string>& row, std::size_t indent) const {
  std::string text(indent, ' ');
  for (std::size_t i = 0; i < row.size(); ++i) {
    text += (i == 0 ? "" : "  ") + padded(row[i], widths_[i], headings_[i].align);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace mixwell::app
