// Arrays of draws and of data: their names, and their named dimensions as ArviZ expects them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell::netcdf {

/// Throws InputError if NetCDF does not allow the name of a variable, if a coordinate or another
/// variable of the group already has the name, or if a column has no elements.
void check_names(const std::vector<Column>& columns);

/// The name, shape and dimensions of an array.
struct Extents {
  const std::string& name;
  const std::vector<Index>& shape;
  const std::vector<std::string>& dims;  ///< as in Column
};

/// The name of each dimension: its own, or <name>_dim_<k>.
std::vector<std::string> dimension_names(const Extents& array);

/// Defines the dimensions of the array in the group. Each dimension has a coordinate, which holds
/// the labels of the dimension or counts from 0. A named dimension is defined only once in a group.
/// Returns the ids. `what` names the array in messages.
std::vector<int> define_dimensions(const NcFile& file, int group, const Extents& array,
                                   const std::vector<Labels>& labels, const std::string& what);

/// Defines the group of that name ("observed_data", "constant_data") with its arrays. Does nothing
/// if `data` is empty.
void define_data_group(const NcFile& file, const std::string& name,
                       const std::vector<NamedValues>& data, const std::vector<Labels>& labels);

}  // namespace mixwell::netcdf
