// Which columns a NetCDF file can hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <vector>

namespace mixwell::netcdf {

/// Throws RunError where a name cannot be one of a NetCDF variable, is that of a coordinate or of
/// another variable of its group, or where a column has no elements.
void check_names(const std::vector<Column>& columns);

}  // namespace mixwell::netcdf
