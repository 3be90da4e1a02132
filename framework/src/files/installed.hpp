// Files that are installed with the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <filesystem>
#include <string>

namespace mixwell {

/// A path from the folder of the program that belongs to libmixwell, in the build and installed
/// alike. Throws RunError where there is none.
MIXWELL_INTERNAL std::filesystem::path beside_program(const char* relative);

/// Throws InputError naming the file when it cannot be read.
MIXWELL_INTERNAL std::string read_installed(const std::filesystem::path& path);

}  // namespace mixwell
