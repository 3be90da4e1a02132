// Where this code is on disk.
// SPDX-License-Identifier: Apache-2.0
#include "files/own_library.hpp"

#include <mixwell/error.hpp>

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace mixwell {

std::string library_of(const void* object) {
  Dl_info info = {};
  void* found = nullptr;
  if (::dladdr1(object, &info, &found, RTLD_DL_LINKMAP) == 0)
    throw RunError("a library of Mixwell cannot be found on disk");
  // The program is known by the words it was called with, which need not lead to its file.
  const bool is_program = *static_cast<const link_map*>(found)->l_name == '\0';
  return std::filesystem::canonical(is_program ? "/proc/self/exe" : info.dli_fname).string();
}

std::string own_library() {
  static const char inside = 0;
  return library_of(&inside);
}

}  // namespace mixwell
