// "a" and "an".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mixwell {

/// "a model", "an estimator": by the first letter, which is right for kinds and their purposes.
inline std::string with_article(std::string_view noun) {
  const bool vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return std::string(vowel ? "an " : "a ").append(noun);
}

}  // namespace mixwell
