// Checks and repairs UTF-8 text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace mixwell {

/// The number of bytes of the UTF-8 character at the beginning of `text`, which must not be empty
/// (Unicode 15, table 3-7). 0 if there is none.
std::size_t utf8_character(std::string_view text);

bool is_utf8(std::string_view text);

/// The text with U+FFFD for each byte that belongs to no character. It is for texts that a file
/// records beside draws, because a text must not stop the file from being written.
MIXWELL_EXPORT std::string as_utf8(std::string_view text);

}  // namespace mixwell
