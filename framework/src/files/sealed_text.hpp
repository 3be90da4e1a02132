// Text under a hash: whether it is as it was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mixwell {

/// The SHA-256 of the text, a line end, and the text.
std::string sealed_text(std::string_view text);

/// The text in what sealed_text made; nothing where any byte of it is not as it was.
std::optional<std::string_view> unsealed_text(std::string_view sealed);

}  // namespace mixwell
