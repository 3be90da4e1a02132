// libnetcdf, loaded when it is first used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mixwell {

/// A function of libnetcdf or of what it is made with; null where there is none of that name.
/// Loads the library. Throws RunError where that cannot be.
void* netcdf_function(const char* name);

}  // namespace mixwell
