// Conversions between JSON and text, and words for enumerated values in JSON. The conversions are
// compiled once, in json.cpp, because nlohmann's templates take seconds to compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mixwell {

/// Throws nlohmann's parse_error, and out_of_range for a number that is not a double.
MIXWELL_INTERNAL nlohmann::ordered_json parse_json(const std::string& text);
/// Like parse_json(), but returns an empty (discarded) value if `text` is not JSON.
MIXWELL_INTERNAL nlohmann::ordered_json parse_json_or_discard(const std::string& text);

/// The JSON as text: on one line, or on lines that are indented by `indent` spaces. Bytes that are
/// not UTF-8 become U+FFFD. Names of files and messages may contain such bytes, and a run that has
/// made draws must not fail because of them.
MIXWELL_INTERNAL std::string json_text(const nlohmann::ordered_json& json, int indent = -1);
/// The JSON as ASCII text, with all other characters escaped.
MIXWELL_INTERNAL std::string ascii_json_text(const nlohmann::ordered_json& json);

/// The number as JSON. JSON has no infinite numbers and no NaN, so infinite numbers become the text
/// "inf" or "-inf", and NaN becomes null.
MIXWELL_INTERNAL nlohmann::ordered_json figure_json(double value);
/// The number that figure_json wrote. Throws nlohmann's type_error for anything else.
MIXWELL_INTERNAL double figure_in(const nlohmann::ordered_json& json);
/// The number under `key`, which may be infinite. NaN if `key` has no number.
MIXWELL_INTERNAL double number_in(const nlohmann::ordered_json& json, const char* key);

/// The JSON in a file. Throws InputError "PATH: the file is damaged: ..." if the text is not JSON,
/// and the InputError of read_text_file() if the file cannot be read.
MIXWELL_INTERNAL nlohmann::ordered_json read_json(const std::string& path, const std::string& what,
                                                  const std::string& cure = {});
/// Throws InputError "PATH: the file is damaged: ..." with the message of `fault`.
[[noreturn]] MIXWELL_INTERNAL void throw_damaged(const std::string& path,
                                                 const std::exception& fault);

/// Reads a value of type T from a JSON file. T must have a from_json().
template <class T>
T read_json_as(const std::string& path, const std::string& what, const std::string& cure = {}) {
  const nlohmann::ordered_json json = read_json(path, what, cure);
  try {
    return json.get<T>();
  } catch (const nlohmann::ordered_json::exception& fault) {
    throw_damaged(path, fault);
  }
}

/// Pairs of a value and its word.
template <class T, std::size_t count>
using Words = std::array<std::pair<T, std::string_view>, count>;

/// The word for a value. `words` must contain the value.
template <class T, std::size_t count>
constexpr std::string_view word_of(const Words<T, count>& words, T value) noexcept {
  for (const auto& [known, word] : words)
    if (known == value) return word;
  return {};
}

template <class T, std::size_t count>
constexpr std::optional<T> find_word(const Words<T, count>& words, std::string_view text) noexcept {
  for (const auto& [value, word] : words)
    if (word == text) return value;
  return std::nullopt;
}

/// The value of the word under `key`. Throws nlohmann's exceptions, also for an unknown word.
template <class T, std::size_t count>
T word_in(const Words<T, count>& words, const nlohmann::ordered_json& json, const char* key) {
  const auto& text = json.at(key).template get_ref<const std::string&>();
  if (const auto found = find_word(words, text)) return *found;
  throw nlohmann::ordered_json::other_error::create(
      501, std::string(key) + " = \"" + text + "\" is not a valid value for this key", &json);
}

}  // namespace mixwell
