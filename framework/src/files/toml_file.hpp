// Text as TOML, with the place of what is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <toml++/toml.h>

#include <cstddef>
#include <string>

namespace mixwell {

/// Parts of a dotted key, and lists and tables inside one another: a parser and what it makes take
/// stack for each.
inline constexpr std::size_t most_toml_depth = 64;

/// Throws InputError with the place of what is no TOML, of keys and values deeper than
/// most_toml_depth, and of numbers beyond doubles.
MIXWELL_INTERNAL toml::table parse_toml(const std::string& text, const std::string& path);

/// The text of a manifest or a study (`what`), from a file of at most 16 MiB. Throws InputError.
MIXWELL_INTERNAL std::string read_toml_text(const std::string& path, const std::string& what);

}  // namespace mixwell
