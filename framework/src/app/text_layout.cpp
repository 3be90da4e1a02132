// Formats effective sample sizes, tables and lines that fit the terminal.
// SPDX-License-Identifier: Apache-2.0
#include "app/text_layout.hpp"

#include "base/split.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mixwell::app {
namespace {

std::string padded(const std::string& cell, std::size_t width, bool stands_right) {
  const std::string blanks(width - width_of(cell), ' ');
  return stands_right ? blanks + cell : cell + blanks;
}

/// Wraps one line of the text. Repeated spaces, which appear as empty words, are kept.
std::string wrapped_line(std::string_view line, std::size_t width, const std::string& margin) {
  std::string text = margin;
  std::size_t used = margin.size();
  bool is_first = true;
  for (const std::string_view word : split(line, ' ')) {
    const std::size_t length = width_of(word);
    if (!is_first && used + 1 + length > width) {
      text.erase(text.find_last_not_of(' ') + 1);
      text += "\n" + margin;
      used = margin.size();
    } else if (!is_first) {
      text += ' ';
      ++used;
    }
    text += word;
    used += length;
    is_first = false;
  }
  return text;
}

}  // namespace

std::string ess_text(double ess, double mcse) {
  constexpr double widest = 3.0;
  if (!std::isfinite(ess)) return "-";
  if (!std::isfinite(mcse)) return fmt::format("{:.0f}", ess);
  const double factor = std::exp(1.96 * mcse / ess);
  if (!(factor <= widest)) return fmt::format("{:.0f} (rough)", ess);
  return fmt::format("{:.0f} ({:.0f} to {:.0f})", ess, ess / factor, ess * factor);
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t length) {
  const std::string first = text.substr(0, text.find('\n'));
  return first.size() <= length ? first : first.substr(0, length - 3) + "...";
}

TextTable::TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    stand_right_.push_back(heading.starts_with('>'));
    heading.erase(0, stand_right_.back() ? 1 : 0);
    widths_.push_back(width_of(heading));
  }
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(headings_.size());
  for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], width_of(row[i]));
  rows_.push_back(std::move(row));
}

std::string TextTable::text(std::size_t width) const {
  std::string all = line(headings_, width);
  for (const auto& row : rows_) all += line(row, width);
  return all;
}

std::string TextTable::line(const std::vector<std::string>& row, std::size_t width) const {
  constexpr std::size_t least = 30;
  std::string text;
  std::size_t used = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    text += i == 0 ? "" : "  ";
    used += i == 0 ? 0 : widths_[i - 1] + 2;
    text += width > 0 && i + 1 == row.size()
                ? wrapped(row[i], std::max(width, used + least), used).substr(used)
                : padded(row[i], widths_[i], stand_right_[i]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::size_t terminal_width() {
  constexpr std::size_t least = 60;
  constexpr std::size_t usual = 100;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return std::max<std::size_t>(size.ws_col, least);
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string lines;
  for (const std::string_view line : split(text, '\n'))
    lines += (lines.empty() ? "" : "\n") + wrapped_line(line, width, margin);
  return lines;
}

}  // namespace mixwell::app
