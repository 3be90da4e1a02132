// Files that are installed with the program.
// SPDX-License-Identifier: Apache-2.0
#include "app/installed.hpp"

#include "files/text_file.hpp"

#include <boost/dll/runtime_symbol_info.hpp>

namespace mixwell::app {

std::filesystem::path beside_program(const char* relative) {
  const std::filesystem::path program = boost::dll::program_location().string();
  return (program.parent_path() / relative).lexically_normal();
}

std::string read_installed(const std::filesystem::path& path) {
  return read_text_file(
      path.string(), "file",
      "it belongs to Mixwell: install it again, or build all of it (./dev build)");
}

}  // namespace mixwell::app
