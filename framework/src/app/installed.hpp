// Files that are installed with the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace mixwell::app {

/// A path from the folder of the program that belongs to libmixwell, in the build and installed
/// alike. Throws RunError where there is none.
std::filesystem::path beside_program(const char* relative);

/// Throws InputError naming the file when it cannot be read.
std::string read_installed(const std::filesystem::path& path);

}  // namespace mixwell::app
