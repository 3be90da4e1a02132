// Files that are installed with the program.
// SPDX-License-Identifier: Apache-2.0
#include "app/installed.hpp"

#include <mixwell/error.hpp>

#include <boost/dll/runtime_symbol_info.hpp>

#include <fstream>
#include <iterator>

namespace mixwell::app {

std::filesystem::path beside_program(const char* relative) {
  const std::filesystem::path program = boost::dll::program_location().string();
  return (program.parent_path() / relative).lexically_normal();
}

std::string read_installed(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw InputError({path.string(), 0, 0},
                     "cannot be read; it belongs to Mixwell: install it again");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace mixwell::app
