// Text as TOML, with the place of what is none.
// SPDX-License-Identifier: Apache-2.0
#include "files/toml_file.hpp"

#include <mixwell/error.hpp>

namespace mixwell {

toml::table parse_toml(const std::string& text, const std::string& path) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& fault) {
    const toml::source_position at = fault.source().begin;
    throw InputError({path, static_cast<int>(at.line), static_cast<int>(at.column)},
                     "not valid TOML: " + std::string(fault.description()));
  }
}

}  // namespace mixwell
