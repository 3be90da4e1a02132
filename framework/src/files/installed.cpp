// Files that are installed with the program.
// SPDX-License-Identifier: Apache-2.0
#include "files/installed.hpp"

#include "files/own_library.hpp"
#include "files/text_file.hpp"

#include <mixwell/error.hpp>

namespace mixwell {
namespace {

namespace fs = std::filesystem;

/// libmixwell is in lib beside bin, or a folder deeper (lib/x86_64-linux-gnu).
fs::path program_folder() {
  const fs::path libraries = fs::path(own_library()).parent_path();
  for (const fs::path& above : {libraries.parent_path(), libraries.parent_path().parent_path()})
    if (fs::exists(above / "bin/mixwell")) return above / "bin";
  throw RunError(
      "the program mixwell, which belongs to " + own_library() +
      ", is in no folder bin beside it; build it (./dev build) or install Mixwell again");
}

}  // namespace

fs::path beside_program(const char* relative) {
  return (program_folder() / relative).lexically_normal();
}

std::string read_installed(const fs::path& path) {
  return read_text_file(
      path.string(), "file",
      "it belongs to Mixwell: install it again, or build all of it (./dev build)");
}

}  // namespace mixwell
