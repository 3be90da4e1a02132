// Values as TOML text that reads back as the same bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/fields.hpp>
#include <mixwell/lab/field_target.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mixwell {

/// Shortest decimal that reads back as the same double, always with a point or an exponent.
MIXWELL_INTERNAL std::string toml_text(double value);
MIXWELL_INTERNAL std::string toml_text(std::int64_t value);
std::string toml_text(bool value);
/// A basic string in double quotes.
std::string toml_text(std::string_view value);
MIXWELL_INTERNAL std::string toml_text(const std::string& value);
std::string toml_text(const Interval& value);
std::string toml_text(const NamedPoints& value);
std::string toml_text(const NamedTexts& value);
/// A key, in quotes unless it is a bare one.
std::string toml_key(const std::string& key);

template <class T>
std::string toml_text(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + toml_text(value);
  return "[" + text + "]";
}

}  // namespace mixwell
