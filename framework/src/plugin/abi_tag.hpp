// Reads information about a library before any code of the library runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/detail/abi.hpp>

#include <string>

namespace mixwell {

/// The versions and options on which the bits of results depend, apart from plugins and data. The
/// compiler is not part of the ABI tag, but it can change the bits.
inline std::string build_tag() {
  return MIXWELL_VERSION " " MIXWELL_ABI_TAG "compiler=" __VERSION__ ";";
}

/// The instruction set in a build tag. "" if the tag has none.
MIXWELL_INTERNAL std::string instruction_set_in(const std::string& build_tag);

/// The ABI tag of this framework.
MIXWELL_INTERNAL std::string host_abi_tag();

/// Throws InputError if the library at `path` has a different ABI tag. The message has the fields
/// that differ. Reads the file without loading it.
MIXWELL_INTERNAL void check_abi_tag(const std::string& path);

}  // namespace mixwell
