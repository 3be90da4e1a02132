// What HDF5 does when the program exits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mixwell {

/// A file that is recorded on a full disk cannot be closed, and HDF5 would try again when the
/// program exits, and crash. It must be told before it is first used, for reading too; whoever
/// comes later is told no, which does no harm. Throws RunError where there is no NetCDF.
void leave_files_at_exit();

}  // namespace mixwell
