// Dimensions of arrays, which ArviZ knows by their names.
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.hpp"

#include <netcdf.h>

#include <numeric>

namespace mixwell::netcdf {
namespace {

int define_dimension(const NcFile& file, int group, const std::string& name, Index length,
                     const std::string& what) {
  int dimension = -1;
  int coordinate = -1;
  file.check(nc_def_dim(group, name.c_str(), static_cast<std::size_t>(length), &dimension),
             "define a dimension of " + what);
  file.check(nc_def_var(group, name.c_str(), NC_INT64, 1, &dimension, &coordinate),
             "define a coordinate of " + what);
  std::vector<long long> numbers(static_cast<std::size_t>(length));
  std::iota(numbers.begin(), numbers.end(), 0);
  file.check(nc_put_var_longlong(group, coordinate, numbers.data()),
             "write a coordinate of " + what);
  return dimension;
}

}  // namespace

std::vector<int> define_dimensions(const NcFile& file, int group, const std::string& name,
                                   const std::vector<Index>& shape, const std::string& what) {
  std::vector<int> dimensions;
  for (std::size_t k = 0; k < shape.size(); ++k)
    dimensions.push_back(
        define_dimension(file, group, name + "_dim_" + std::to_string(k), shape[k], what));
  return dimensions;
}

}  // namespace mixwell::netcdf
