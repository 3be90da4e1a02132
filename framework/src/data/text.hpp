// What the readers of data files share: places and quotes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shortened.hpp"

#include <string>
#include <string_view>

namespace mixwell {

/// Shortened where it is long.
inline std::string in_quotes(std::string_view text) { return "\"" + shortened(text) + "\""; }

inline std::string place(const std::string& path, int line) {
  return path + ":" + std::to_string(line);
}

/// Without one leading `+`, unless a sign follows it.
inline std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  return text;
}

}  // namespace mixwell
