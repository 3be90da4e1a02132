// The group observed_data: what the draws are compared with.
// SPDX-License-Identifier: Apache-2.0
#include "observed.hpp"

#include "dimensions.hpp"

#include <netcdf.h>

#include <string>

namespace mixwell::netcdf {
namespace {

void define_data(const NcFile& file, int group, const NamedValues& data) {
  const std::string what = "the observed data '" + data.name + "'";
  const std::vector<int> dimensions = define_dimensions(file, group, data.name, data.shape, what);
  int variable = -1;
  file.check(nc_def_var(group, data.name.c_str(), NC_DOUBLE, static_cast<int>(dimensions.size()),
                        dimensions.data(), &variable),
             "define " + what);
  file.check(nc_put_var_double(group, variable, data.values.data()), "write " + what);
}

}  // namespace

void define_observed(const NcFile& file, const std::vector<NamedValues>& data) {
  int group = -1;
  file.check(nc_def_grp(file.id(), "observed_data", &group), "define the group 'observed_data'");
  for (const NamedValues& one : data) define_data(file, group, one);
}

}  // namespace mixwell::netcdf
