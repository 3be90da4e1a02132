// Characters of UTF-8.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace mixwell {

/// Bytes of the character of UTF-8 that `text`, which is not empty, begins with (Unicode 15, table
/// 3-7), or 0.
std::size_t utf8_character(std::string_view text);

bool is_utf8(std::string_view text);

/// With U+FFFD for each byte that belongs to no character: for texts that a file records beside
/// draws, which must not fail to be written because of a text.
MIXWELL_EXPORT std::string as_utf8(std::string_view text);

}  // namespace mixwell
