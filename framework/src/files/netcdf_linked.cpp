// Replaces netcdf_library.cpp in builds that link libmixwell with libnetcdf: builds with
// sanitizers, and wheels, which contain their own libnetcdf.
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
