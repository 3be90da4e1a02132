// Modules for rarely used commands. Mixwell loads a module when its command is used.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules.hpp"

#include "files/own_files.hpp"

#include <mixwell/base/error.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace mixwell::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& reason) {
  throw RunError(
      fmt::format("this command needs the file `{}`, which {}. Build Mixwell (./dev build), or "
                  "reinstall Mixwell",
                  file.string(), reason));
}

fs::path file_of(const std::string& module) {
  return fs::path(own_library()).parent_path() / "mixwell" / "commands" / (module + ".so");
}

}  // namespace

bool has_module(const std::string& module) { return fs::exists(file_of(module)); }

void* module_function(const std::string& module, const char* name) {
  const fs::path file = file_of(module);
  if (!fs::exists(file)) refuse(file, "is missing");
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(file, fmt::format("cannot be loaded ({})", ::dlerror()));
  void* const function = ::dlsym(library, name);
  if (function == nullptr) refuse(file, fmt::format("has no function {}", name));
  return function;
}

}  // namespace mixwell::app
