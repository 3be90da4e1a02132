// Small files of text, read at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <toml++/toml.h>

#include <string>

namespace mixwell {

/// Throws InputError: "PATH: the `what` cannot be read: ...".
MIXWELL_INTERNAL std::string read_text_file(const std::string& path, const std::string& what);

/// Throws InputError with the place of what is no TOML.
MIXWELL_INTERNAL toml::table parse_toml(const std::string& text, const std::string& path);

}  // namespace mixwell
