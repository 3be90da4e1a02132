// Writes values as TOML text. Reading the text back gives bit-identical values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/component/fields.hpp>
#include <mixwell/lab/field_target.hpp>

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mixwell {

/// The shortest decimal that reads back as the same double, always with a point or an exponent.
MIXWELL_INTERNAL std::string toml_text(double value);
MIXWELL_INTERNAL std::string toml_text(std::int64_t value);
std::string toml_text(bool value);
/// A basic string in double quotes.
std::string toml_text(std::string_view value);
MIXWELL_INTERNAL std::string toml_text(const std::string& value);
std::string toml_text(const Interval& value);
std::string toml_text(const std::variant<double, std::string>& value);
/// Whether a text has only letters, digits, _ and -, and at least one of them.
bool is_bare_key(std::string_view text);
/// A key, in quotes unless it is bare.
std::string toml_key(const std::string& key);

template <class T>
std::string toml_text(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + toml_text(value);
  return "[" + text + "]";
}

/// An inline table.
template <class T>
std::string toml_text(const std::map<std::string, T>& table) {
  std::string text;
  for (const auto& [key, value] : table)
    text += (text.empty() ? "" : ", ") + toml_key(key) + " = " + toml_text(value);
  return text.empty() ? "{}" : "{ " + text + " }";
}

}  // namespace mixwell
