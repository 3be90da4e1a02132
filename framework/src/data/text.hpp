// Helpers for reading data files: quotes and line numbers in messages, CSV cells, UTF-8 checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shortened.hpp"
#include "base/utf8.hpp"

#include <mixwell/base/error.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// The text in double quotes, shortened if it is long.
inline std::string in_quotes(std::string_view text) { return "\"" + shortened(text) + "\""; }

inline std::string place(const std::string& path, int line) {
  return path + ":" + std::to_string(line);
}

/// Throws InputError if the text is not UTF-8. where() names the text and its place.
template <class Where>
void require_utf8(std::string_view text, const Where& where) {
  if (is_utf8(text)) return;
  throw InputError(where() +
                   " is not valid UTF-8. Data files must be UTF-8. If the file is in Latin-1, "
                   "convert it: iconv -f latin1 -t utf-8 FILE > NEW_FILE");
}

/// The cells of a line of a CSV file. Throws InputError if the quotes in the line do not match.
std::vector<std::string> csv_cells(std::string_view line, const std::string& place);

/// Throws InputError if the header has no comma, but another separator.
void refuse_other_separator(std::string_view header, const std::string& place);

/// The text without one leading `+`, unless another sign follows.
inline std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  return text;
}

}  // namespace mixwell
