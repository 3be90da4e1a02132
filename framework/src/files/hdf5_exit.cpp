// What HDF5 does when the program exits.
// SPDX-License-Identifier: Apache-2.0
#include "files/hdf5_exit.hpp"

/// HDF5's own; weak, as netCDF can be built without HDF5.
extern "C" __attribute__((weak)) int H5dont_atexit(void);

namespace mixwell {

void leave_files_at_exit() noexcept {
  if (H5dont_atexit != nullptr) H5dont_atexit();
}

}  // namespace mixwell
