// Numbers as CmdStan writes them, independent of the locale.
// SPDX-License-Identifier: Apache-2.0
#include "number.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace mixwell::cmdstan_csv {
namespace {

void append_formatted(std::string& text, double value, std::chars_format format, int precision) {
  std::array<char, 352> buffer;  // the largest double has 309 digits before the point
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr;
  text.append(buffer.data(), end);
}

}  // namespace

void append_number(std::string& text, double value, int digits) {
  if (std::isnan(value)) {
    text += "NaN";
    return;
  }
  append_formatted(text, value, std::chars_format::general, digits);
}

void append_seconds(std::string& text, double seconds) {
  append_formatted(text, seconds, std::chars_format::fixed, 6);
}

}  // namespace mixwell::cmdstan_csv
