// Text under a hash: whether it is as it was written.
// SPDX-License-Identifier: Apache-2.0
#include "files/sealed_text.hpp"

#include "files/sha256.hpp"

namespace mixwell {

std::string sealed_text(std::string_view text) {
  std::string sealed = sha256(text) + "\n";
  sealed += text;
  return sealed;
}

std::optional<std::string_view> unsealed_text(std::string_view sealed) {
  const std::size_t end = sealed.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = sealed.substr(end + 1);
  if (sha256(text) != sealed.substr(0, end)) return std::nullopt;
  return text;
}

}  // namespace mixwell
