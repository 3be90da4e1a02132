// Where Mixwell's own files are: its library, what is installed with it, and its user's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <filesystem>
#include <string>

namespace mixwell {

/// The file of the library, or of the program, that `object`, which is static, is a part of,
/// without symbolic links.
MIXWELL_INTERNAL std::string library_of(const void* object);

/// The file of libmixwell.
MIXWELL_INTERNAL std::string own_library();

/// A path from the folder of the program that belongs to libmixwell, in the build and installed
/// alike. Throws RunError where there is none.
MIXWELL_INTERNAL std::filesystem::path beside_program(const char* relative);

/// A file that is installed with the program. Throws InputError naming it when it cannot be read.
MIXWELL_INTERNAL std::string read_installed(const std::filesystem::path& path);

/// Mixwell's folder in a base directory of XDG: $VARIABLE/mixwell, by default ~/FALLBACK/mixwell.
/// Relative paths count as none, as that standard wants it. Empty where neither is set.
std::string user_folder(const char* variable, const char* fallback);

}  // namespace mixwell
