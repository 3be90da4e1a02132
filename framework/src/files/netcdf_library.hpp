// libnetcdf, loaded when it is first used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mixwell {

/// A function of libnetcdf or of what it is made with; null where there is none of that name.
/// Loads the library. Throws RunError where that cannot be.
void* netcdf_function(const char* name);

/// A file that is recorded on a full disk cannot be closed, and HDF5 would try again when the
/// program exits, and crash. It must be told before it is first used, for reading too; whoever
/// comes later is told no, which does no harm. NetCDF can be built without HDF5.
inline void leave_files_at_exit() {
  using Leave = int();
  if (void* const leave = netcdf_function("H5dont_atexit")) reinterpret_cast<Leave*>(leave)();
}

}  // namespace mixwell
