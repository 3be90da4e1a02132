// Defines dimensions with coordinates and groups of data arrays, and checks array names.
// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <mixwell/plugin.hpp>

#include <netcdf.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

namespace mixwell::netcdf {
namespace {

/// Writes the coordinate of a dimension: its labels, or 0, 1, ... if it has none. Returns a status
/// of netCDF.
int put_coordinate(int group, int variable, Index length, const Labels* labels) {
  if (labels == nullptr) {
    std::vector<long long> numbers(static_cast<std::size_t>(length));
    std::iota(numbers.begin(), numbers.end(), 0);
    return nc_put_var_longlong(group, variable, numbers.data());
  }
  std::vector<const char*> texts;
  for (const std::string& label : labels->labels) texts.push_back(label.c_str());
  return nc_put_var_string(group, variable, texts.data());
}

const Labels* labels_of(const std::string& dim, const std::vector<Labels>& labels) {
  const auto found =
      std::find_if(labels.begin(), labels.end(), [&](const Labels& one) { return one.dim == dim; });
  return found == labels.end() ? nullptr : &*found;
}

int define_dimension(const NcFile& file, int group, const std::string& name, Index length,
                     const Labels* labels, const std::string& what) {
  int id = -1;
  if (nc_inq_dimid(group, name.c_str(), &id) == NC_NOERR) return id;
  file.check(nc_def_dim(group, name.c_str(), static_cast<std::size_t>(length), &id),
             "define a dimension of " + what);
  int variable = -1;
  file.check(
      nc_def_var(group, name.c_str(), labels == nullptr ? NC_INT64 : NC_STRING, 1, &id, &variable),
      "define a coordinate of " + what);
  file.check(put_coordinate(group, variable, length, labels), "write a coordinate of " + what);
  return id;
}

}  // namespace

std::vector<std::string> dimension_names(const Extents& array) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < array.shape.size(); ++k)
    names.push_back(array.dims.empty() || array.dims[k].empty()
                        ? array.name + "_dim_" + std::to_string(k)
                        : array.dims[k]);
  return names;
}

std::vector<int> define_dimensions(const NcFile& file, int group, const Extents& array,
                                   const std::vector<Labels>& labels, const std::string& what) {
  const std::vector<std::string> names = dimension_names(array);
  std::vector<int> dimensions;
  for (std::size_t k = 0; k < names.size(); ++k)
    dimensions.push_back(
        define_dimension(file, group, names[k], array.shape[k], labels_of(names[k], labels), what));
  return dimensions;
}

namespace {

void check_name(const std::string& name, const std::string& taken_by) {
  const std::string rule =
      taken_by.empty() ? broken_name_rule(name) : "is already the name of " + taken_by;
  if (!rule.empty())
    throw InputError("Mixwell cannot record a variable named '" + name + "': the name " + rule +
                     ". Rename the variable where its name is set: in a column header of the data, "
                     "in a key, or in the source code of the model or kernel.");
}

void check_group(const std::vector<Column>& columns, RecordGroup group) {
  std::set<std::string> coordinates = {"chain", "draw", "sample", "replicate", "slot"};
  for (const Column& column : columns)
    if (column.group == group)
      for (std::string& name : dimension_names({column.name, column.shape, column.dims}))
        coordinates.insert(std::move(name));
  std::set<std::string> names;
  for (const Column& column : columns) {
    if (column.group != group) continue;
    const bool coordinate = coordinates.count(column.name) > 0;
    const bool twice = !names.insert(column.name).second;
    check_name(column.name, coordinate ? "a coordinate" : twice ? "another variable" : "");
    if (column.size() < 1)
      throw InputError(
          "Mixwell cannot record the variable '" + column.name +
          "': it has no elements. Leave it out of the records, or give it a shape without zeros.");
  }
}

}  // namespace

void check_names(const std::vector<Column>& columns) {
  for (const RecordGroup group : {RecordGroup::posterior, RecordGroup::sample_stats,
                                  RecordGroup::log_likelihood, RecordGroup::posterior_predictive})
    check_group(columns, group);
}

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
