// What the readers of data files share: places and numbers in texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shortened.hpp"

#include <charconv>
#include <cmath>
#include <optional>
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

/// The finite number that the whole text spells, if it does.
inline std::optional<double> finite_number(std::string_view text) {
  text = without_plus(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace mixwell
