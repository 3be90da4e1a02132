// Parts of messages: shortened forms of long text, and nouns with their article.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mixwell {

/// A text of at most 60 bytes stays as it is. A longer one becomes at most its first 60 bytes, in
/// whole characters, and its length: "abc... (10000000 bytes)".
inline std::string shortened(std::string_view text, std::size_t most = 60) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "... (" + std::to_string(text.size()) + " bytes)";
}

/// "a model", "an estimator". The article depends on the first letter. This is right for all kinds
/// and purposes.
inline std::string with_article(std::string_view noun) {
  const bool vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return std::string(vowel ? "an " : "a ").append(noun);
}

}  // namespace mixwell
