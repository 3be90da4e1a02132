// Where this code is on disk.
// SPDX-License-Identifier: Apache-2.0
#include "files/own_library.hpp"

#include <mixwell/error.hpp>

#include <dlfcn.h>

#include <filesystem>

namespace mixwell {

std::string library_of(const void* object) {
  Dl_info info = {};
  if (::dladdr(object, &info) == 0) throw RunError("a library of Mixwell cannot be found on disk");
  return std::filesystem::canonical(info.dli_fname).string();
}

std::string own_library() {
  static const char inside = 0;
  return library_of(&inside);
}

}  // namespace mixwell
