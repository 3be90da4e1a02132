// Writes values as TOML text. Reading the text back gives bit-identical values.
// SPDX-License-Identifier: Apache-2.0
#include "component/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <variant>

namespace mixwell {
namespace {

std::string escaped(char c) {
  constexpr std::string_view special = "\"\\\n\t\r";
  constexpr std::string_view letters = "\"\\ntr";
  const std::size_t found = special.find(c);
  if (found != special.npos) return {'\\', letters[found]};
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f ? fmt::format("\\u{:04X}", byte) : std::string(1, c);
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

std::string toml_text(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  const bool is_integer_text = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_integer_text ? text + ".0" : text;
}

std::string toml_text(std::int64_t value) { return std::to_string(value); }
std::string toml_text(bool value) { return value ? "true" : "false"; }

std::string toml_text(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) text += escaped(c);
  return text + '"';
}

std::string toml_text(const std::string& value) { return toml_text(std::string_view(value)); }
std::string toml_text(const Interval& value) {
  return toml_text(std::vector<double>{value.first, value.second});
}
std::string toml_text(const std::variant<double, std::string>& value) {
  return std::visit([](const auto& held) { return toml_text(held); }, value);
}

bool is_bare_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_bare);
}

std::string toml_key(const std::string& key) { return is_bare_key(key) ? key : toml_text(key); }

}  // namespace mixwell
