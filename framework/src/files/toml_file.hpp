// Reads text as TOML, and reports the location of an error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <toml++/toml.h>

#include <cstddef>
#include <string>

namespace mixwell {

/// The largest number of parts of a dotted key, and the deepest nesting of lists and tables. The
/// parser and its results use stack space for each level.
inline constexpr std::size_t most_toml_depth = 64;

/// Throws InputError with the place for text that is not TOML, for keys and values deeper than
/// most_toml_depth, and for numbers beyond the range of doubles.
MIXWELL_INTERNAL toml::table parse_toml(const std::string& text, const std::string& path);

/// The text of a manifest or a study (`what`), from a file of at most 16 MiB. Throws InputError.
MIXWELL_INTERNAL std::string read_toml_text(const std::string& path, const std::string& what);

}  // namespace mixwell
