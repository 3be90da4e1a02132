// Dimensions of arrays, which ArviZ knows by their names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell::netcdf {

/// Of the array `name`: <name>_dim_<k> with a coordinate that counts from 0, in that group. Returns
/// their ids. `what`: the array, for messages.
std::vector<int> define_dimensions(const NcFile& file, int group, const std::string& name,
                                   const std::vector<Index>& shape, const std::string& what);

}  // namespace mixwell::netcdf
