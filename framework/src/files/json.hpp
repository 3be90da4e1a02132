// JSON from text and to text, and values that stand in it as words. nlohmann's templates for text
// take seconds to compile: here, once.
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

/// Throws nlohmann's parse_error, and out_of_range for a number that is no double.
MIXWELL_INTERNAL nlohmann::ordered_json parse_json(const std::string& text);
/// Discarded, which contains nothing, where `text` is no JSON.
MIXWELL_INTERNAL nlohmann::ordered_json parse_json_or_discard(const std::string& text);

/// On one line, or on lines that are indented by so many spaces. Bytes that are not UTF-8 become
/// U+FFFD: names of files and messages may have them, and no text may end a run that has drawn.
MIXWELL_INTERNAL std::string json_text(const nlohmann::ordered_json& json, int indent = -1);
/// The same in ASCII, all other characters escaped.
MIXWELL_INTERNAL std::string ascii_json_text(const nlohmann::ordered_json& json);

/// The number; the text "inf" or "-inf" where it is infinite, which JSON has no number for; null
/// for NaN.
MIXWELL_INTERNAL nlohmann::ordered_json figure_json(double value);
/// What figure_json has made of a number. Throws nlohmann's type_error for anything else.
MIXWELL_INTERNAL double figure_in(const nlohmann::ordered_json& json);
/// The number of that key, infinite ones among them, or NaN where there is none.
MIXWELL_INTERNAL double number_in(const nlohmann::ordered_json& json, const char* key);

/// The JSON in a file. Throws InputError "PATH: is damaged: ..." and where it cannot be read, as
/// read_text_file.
MIXWELL_INTERNAL nlohmann::ordered_json read_json(const std::string& path, const std::string& what,
                                                  const std::string& cure = {});
/// Throws the same InputError for what `fault` found in a file.
[[noreturn]] MIXWELL_INTERNAL void throw_damaged(const std::string& path,
                                                 const std::exception& fault);

/// What a file says of a T, which has a from_json.
template <class T>
T read_json_as(const std::string& path, const std::string& what, const std::string& cure = {}) {
  const nlohmann::ordered_json json = read_json(path, what, cure);
  try {
    return json.get<T>();
  } catch (const nlohmann::ordered_json::exception& fault) {
    throw_damaged(path, fault);
  }
}

/// Each value with its word.
template <class T, std::size_t count>
using Words = std::array<std::pair<T, std::string_view>, count>;

/// Every value has one.
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

/// The value of the word under `key`. Throws nlohmann's exceptions, also for a word of none.
template <class T, std::size_t count>
T word_in(const Words<T, count>& words, const nlohmann::ordered_json& json, const char* key) {
  const auto& text = json.at(key).template get_ref<const std::string&>();
  if (const auto found = find_word(words, text)) return *found;
  throw nlohmann::ordered_json::other_error::create(
      501, std::string(key) + " = \"" + text + "\" is none of its words", &json);
}

}  // namespace mixwell
