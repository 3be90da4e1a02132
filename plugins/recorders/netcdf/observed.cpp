// The group observed_data: what the draws are compared with.
// SPDX-License-Identifier: Apache-2.0
#include "observed.hpp"

#include <netcdf.h>

#include <string>

namespace mixwell::netcdf {
namespace {

/// A dimension and its coordinate, numbers from 0.
int define_dimension(const NcFile& file, int group, const std::string& name, Index length) {
  int dimension = -1;
  int coordinate = -1;
  std::vector<long long> numbers;
  for (Index k = 0; k < length; ++k) numbers.push_back(k);
  const std::string action = "define the dimension '" + name + "'";
  file.check(nc_def_dim(group, name.c_str(), static_cast<std::size_t>(length), &dimension), action);
  file.check(nc_def_var(group, name.c_str(), NC_INT64, 1, &dimension, &coordinate), action);
  file.check(nc_put_var_longlong(group, coordinate, numbers.data()), action);
  return dimension;
}

void define_data(const NcFile& file, int group, const NamedValues& data) {
  std::vector<int> dimensions;
  for (std::size_t k = 0; k < data.shape.size(); ++k)
    dimensions.push_back(
        define_dimension(file, group, data.name + "_dim_" + std::to_string(k), data.shape[k]));
  const std::string action = "write the observed data '" + data.name + "'";
  int variable = -1;
  file.check(nc_def_var(group, data.name.c_str(), NC_DOUBLE, static_cast<int>(dimensions.size()),
                        dimensions.data(), &variable),
             action);
  file.check(nc_put_var_double(group, variable, data.values.data()), action);
}

}  // namespace

void define_observed(const NcFile& file, const std::vector<NamedValues>& data) {
  int group = -1;
  file.check(nc_def_grp(file.id(), "observed_data", &group), "define the group 'observed_data'");
  for (const NamedValues& one : data) define_data(file, group, one);
}

}  // namespace mixwell::netcdf
