// Groups of data: what the draws are compared with, and what else the model was given.
// SPDX-License-Identifier: Apache-2.0
#include "data_group.hpp"

#include "dimensions.hpp"

#include <netcdf.h>

namespace mixwell::netcdf {
namespace {

void define_array(const NcFile& file, int group, const NamedValues& data,
                  const std::vector<Labels>& labels) {
  const std::string what = "the data '" + data.name + "'";
  const std::vector<int> dimensions =
      define_dimensions(file, group, {data.name, data.shape, data.dims}, labels, what);
  int variable = -1;
  file.check(nc_def_var(group, data.name.c_str(), NC_DOUBLE, static_cast<int>(dimensions.size()),
                        dimensions.data(), &variable),
             "define " + what);
  file.check(nc_put_var_double(group, variable, data.values.data()), "write " + what);
}

}  // namespace

void define_data_group(const NcFile& file, const std::string& name,
                       const std::vector<NamedValues>& data, const std::vector<Labels>& labels) {
  if (data.empty()) return;
  int group = -1;
  file.check(nc_def_grp(file.id(), name.c_str(), &group), "define the group '" + name + "'");
  for (const NamedValues& one : data) define_array(file, group, one, labels);
}

}  // namespace mixwell::netcdf
