// Where this code is on disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <string>

namespace mixwell {

/// The file of the library, or of the program, that `object`, which is static, is a part of,
/// without symbolic links.
MIXWELL_INTERNAL std::string library_of(const void* object);

/// The file of libmixwell.
MIXWELL_INTERNAL std::string own_library();

}  // namespace mixwell
