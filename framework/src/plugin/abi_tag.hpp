// What a library says about itself before any of its code runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/abi.hpp>
#include <mixwell/export.hpp>

#include <string>

namespace mixwell {

/// What the bits of results depend on beside plugins and data. The compiler is no part of the ABI
/// tag, but of the bits.
inline std::string build_tag() {
  return MIXWELL_VERSION " " MIXWELL_ABI_TAG "compiler=" __VERSION__ ";";
}

/// The tag this framework was built with.
MIXWELL_INTERNAL std::string host_abi_tag();

/// Empty if the tags are equal, else which fields differ, what was wanted and found.
MIXWELL_INTERNAL std::string abi_difference(const std::string& wanted, const std::string& found);

/// Whether the library at `path` exports the symbol, read from the file without loading it.
/// Throws InputError when the file is no library.
MIXWELL_INTERNAL bool exports_symbol(const std::string& path, const std::string& symbol);

}  // namespace mixwell
