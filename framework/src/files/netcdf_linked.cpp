// Replaces netcdf_library.cpp in builds that link libmixwell with libnetcdf: wheels, which contain
// a small copy of libnetcdf, and builds with sanitizers.
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
