// Text as TOML, with the place of what is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <toml++/toml.h>

#include <string>

namespace mixwell {

/// Throws InputError with the place of what is no TOML.
MIXWELL_INTERNAL toml::table parse_toml(const std::string& text, const std::string& path);

}  // namespace mixwell
