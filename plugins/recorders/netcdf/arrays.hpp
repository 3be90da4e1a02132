// Arrays of draws and of data: their names, and dimensions, which ArviZ knows by their names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell::netcdf {

/// Throws RunError where a name cannot be one of a NetCDF variable, is that of a coordinate or of
/// another variable of its group, or where a column has no elements.
void check_names(const std::vector<Column>& columns);

/// An array as its dimensions see it.
struct Extents {
  const std::string& name;
  const std::vector<Index>& shape;
  const std::vector<std::string>& dims;  ///< as those of a Column
};

/// The name of each dimension: its own, or <name>_dim_<k>.
std::vector<std::string> dimension_names(const Extents& array);

/// Of the array, in that group: with a coordinate of their labels, or one that counts from 0.
/// Dimensions with a name are defined once in a group. Returns their ids. `what`: the array, for
/// messages.
std::vector<int> define_dimensions(const NcFile& file, int group, const Extents& array,
                                   const std::vector<Labels>& labels, const std::string& what);

/// The group of that name ("observed_data", "constant_data") with its arrays; none where `data` is
/// empty.
void define_data_group(const NcFile& file, const std::string& name,
                       const std::vector<NamedValues>& data, const std::vector<Labels>& labels);

}  // namespace mixwell::netcdf
