// Loads libnetcdf when it is first used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mixwell {

/// The function `name` of libnetcdf or of a library that libnetcdf uses. Null if there is no such
/// function. The first call loads libnetcdf. Throws RunError if loading fails.
void* netcdf_function(const char* name);

/// Prevents a crash at the end of the program: HDF5 cannot close a file on a full disk, tries again
/// when the program exits, and crashes. Call this function before the first use of HDF5, also for
/// reading. HDF5 refuses later calls, which is harmless. Does nothing if NetCDF was built without
/// HDF5.
inline void leave_files_at_exit() {
  using Leave = int();
  if (void* const leave = netcdf_function("H5dont_atexit")) reinterpret_cast<Leave*>(leave)();
}

}  // namespace mixwell
