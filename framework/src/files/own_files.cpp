// Finds Mixwell's library, the files installed with it, and the user's Mixwell folders.
// SPDX-License-Identifier: Apache-2.0
#include "files/own_files.hpp"

#include "files/reading.hpp"
#include "system/system.hpp"

#include <mixwell/base/error.hpp>

#include <cstdlib>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

/// The folder `bin` of the program. libmixwell is in `lib` beside `bin`, or up to three folders
/// deeper (lib/x86_64-linux-gnu/mixwell/x86-64-v4).
fs::path program_folder() {
  fs::path above = fs::path(own_library()).parent_path();
  for (int level = 0; level < 4; ++level) {
    above = above.parent_path();
    if (fs::exists(above / "bin/mixwell")) return above / "bin";
  }
  throw RunError("the program bin/mixwell that belongs to " + own_library() +
                 " is missing. Build the program (./dev build), or install Mixwell again");
}

std::string absolute_path_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

std::string library_of(const void* object) {
  const std::string path = path_to_code(object);
  if (path.empty())
    throw RunError("a library of Mixwell cannot be found on disk. Install Mixwell again");
  return fs::canonical(path).string();
}

std::string own_library() {
  static const char inside = 0;
  return library_of(&inside);
}

fs::path beside_program(const char* relative) {
  return (program_folder() / relative).lexically_normal();
}

std::string read_installed(const fs::path& path) {
  return read_text_file(
      path.string(), "file",
      "the file is part of Mixwell. Install Mixwell again, or build all of it (./dev build)");
}

std::string user_folder(const char* variable, const char* fallback) {
  const std::string base = absolute_path_in(variable);
  if (!base.empty()) return base + "/mixwell";
  const std::string home = absolute_path_in("HOME");
  return home.empty() ? "" : home + "/" + fallback + "/mixwell";
}

}  // namespace mixwell
