// libnetcdf where libmixwell is linked with it: in a wheel, which carries a small one under a name
// of its own. Elsewhere it is netcdf_library.cpp that is built. SPDX-License-Identifier: Apache-2.0
#include "files/netcdf_library.hpp"
#include "files/own_library.hpp"

#include <dlfcn.h>

namespace mixwell {

void* netcdf_function(const char* name) {
  static void* const self = ::dlopen(own_library().c_str(), RTLD_NOW | RTLD_LOCAL);
  return self == nullptr ? nullptr : ::dlsym(self, name);
}

}  // namespace mixwell
