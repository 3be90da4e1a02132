// What a library says about itself before any of its code runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/detail/abi.hpp>

#include <string>

namespace mixwell {

/// What the bits of results depend on beside plugins and data. The compiler is no part of the ABI
/// tag, but of the bits.
inline std::string build_tag() {
  return MIXWELL_VERSION " " MIXWELL_ABI_TAG "compiler=" __VERSION__ ";";
}

/// The tag this framework was built with.
MIXWELL_INTERNAL std::string host_abi_tag();

/// Throws InputError where the library at `path` has another tag: which fields differ, what was
/// wanted and found. Reads the file without loading it.
MIXWELL_INTERNAL void check_abi_tag(const std::string& path);

}  // namespace mixwell
