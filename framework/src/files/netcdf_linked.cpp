// libnetcdf where libmixwell is linked with it: in a wheel, with a small one of its own name, and
// with sanitizers. Elsewhere netcdf_library.cpp is built in its place.
// SPDX-License-Identifier: Apache-2.0
#include "files/netcdf_library.hpp"
#include "files/own_files.hpp"

#include <dlfcn.h>

namespace mixwell {

void* netcdf_function(const char* name) {
  static void* const self = ::dlopen(own_library().c_str(), RTLD_NOW | RTLD_LOCAL);
  return self == nullptr ? nullptr : ::dlsym(self, name);
}

}  // namespace mixwell
