// Text for a terminal: how wide it is, and lines that fit.
// SPDX-License-Identifier: Apache-2.0
#include "app/wrapped_text.hpp"

#include "app/text_table.hpp"
#include "base/split.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace mixwell::app {
namespace {

/// One line of the text; empty words are further spaces, which stay.
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
