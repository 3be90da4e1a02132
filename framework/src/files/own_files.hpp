// Finds Mixwell's library, the files installed with it, and the user's Mixwell folders.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <filesystem>
#include <string>

namespace mixwell {

/// The file of the library or program that contains `object`, without symbolic links. `object` must
/// be static.
MIXWELL_INTERNAL std::string library_of(const void* object);

/// The file of libmixwell.
MIXWELL_INTERNAL std::string own_library();

/// The path that `relative` gives from the folder of the program that belongs to libmixwell, in a
/// build or an installation. Throws RunError if there is no such program.
MIXWELL_INTERNAL std::filesystem::path beside_program(const char* relative);

/// The text of a file that is installed with the program. Throws InputError with the name of the
/// file if it cannot be read.
MIXWELL_INTERNAL std::string read_installed(const std::filesystem::path& path);

/// Mixwell's folder in a base directory of XDG: $VARIABLE/mixwell, by default ~/FALLBACK/mixwell.
/// Relative paths are ignored, as the XDG standard requires. Empty if neither $VARIABLE nor $HOME
/// is an absolute path.
std::string user_folder(const char* variable, const char* fallback);

}  // namespace mixwell
