// What HDF5 does when the program exits.
// SPDX-License-Identifier: Apache-2.0
#include "files/hdf5_exit.hpp"

#include "files/netcdf_library.hpp"

namespace mixwell {

/// NetCDF can be built without HDF5.
void leave_files_at_exit() {
  using Leave = int();
  if (void* const leave = netcdf_function("H5dont_atexit")) reinterpret_cast<Leave*>(leave)();
}

}  // namespace mixwell
