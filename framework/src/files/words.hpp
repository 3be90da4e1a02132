// Values that stand in files as words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mixwell {

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
