// Values as TOML text that reads back as the same bits.
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
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f ? fmt::format("\\u{:04X}", byte) : std::string(1, c);
}

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string value_text(const std::vector<std::string>& value) { return toml_text(value); }
std::string value_text(const std::variant<double, std::string>& value) {
  return std::visit([](const auto& held) { return toml_text(held); }, value);
}

template <class Map>
std::string inline_table(const Map& map) {
  if (map.empty()) return "{}";
  constexpr bool of_tables = requires(const typename Map::mapped_type& one) {
    one.begin()->second;
  };
  std::string text;
  for (const auto& [key, value] : map) {
    text += (text.empty() ? "" : ", ") + toml_key(key) + " = ";
    if constexpr (of_tables)
      text += inline_table(value);
    else
      text += value_text(value);
  }
  return "{ " + text + " }";
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
std::string toml_text(const NamedPoints& value) { return inline_table(value); }
std::string toml_text(const NamedTexts& value) { return inline_table(value); }

std::string toml_key(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), is_bare);
  return bare ? key : toml_text(key);
}

}  // namespace mixwell
