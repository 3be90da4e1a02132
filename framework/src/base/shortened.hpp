// Texts as they stand in messages: shortened where they are from outside, nouns with an article.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mixwell {

/// As it is up to 60 bytes; of a longer one the first 60 at most, whole characters, and its length:
/// "abc... (10000000 bytes)".
inline std::string shortened(std::string_view text, std::size_t most = 60) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "... (" + std::to_string(text.size()) + " bytes)";
}

/// "a model", "an estimator": by the first letter, which is right for kinds and their purposes.
inline std::string with_article(std::string_view noun) {
  const bool vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return std::string(vowel ? "an " : "a ").append(noun);
}

}  // namespace mixwell
