// The names of variables and coordinates, and their clashes.
// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include "dimensions.hpp"

#include <mixwell/plugin.hpp>

#include <set>
#include <string>

namespace mixwell::netcdf {
namespace {

void check_name(const std::string& name, const std::string& taken_by) {
  const std::string rule =
      taken_by.empty() ? broken_name_rule(name) : "is the name of " + taken_by + " already";
  if (!rule.empty())
    throw InputError("cannot record a variable named '" + name + "': the name " + rule +
                     "; rename it where it comes from (a column of the data, a key, the source of "
                     "the model or kernel)");
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
      throw InputError("cannot record the variable '" + column.name + "': it has no elements");
  }
}

}  // namespace

void check_names(const std::vector<Column>& columns) {
  for (const RecordGroup group : {RecordGroup::posterior, RecordGroup::sample_stats,
                                  RecordGroup::log_likelihood, RecordGroup::posterior_predictive})
    check_group(columns, group);
}

}  // namespace mixwell::netcdf
