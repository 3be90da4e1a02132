// Dimensions of arrays, which ArviZ knows by their names.
// SPDX-License-Identifier: Apache-2.0
#include "dimensions.hpp"

#include <netcdf.h>

#include <algorithm>
#include <numeric>

namespace mixwell::netcdf {
namespace {

/// A dimension of one group, being defined.
class NewDimension {
 public:
  NewDimension(const NcFile& file, int group, const std::string& name, const std::string& what)
      : file_(file), group_(group), name_(name), what_(what) {}

  int with_length(Index length) {
    file_.check(nc_def_dim(group_, name_.c_str(), static_cast<std::size_t>(length), &id_),
                "define a dimension of " + what_);
    return id_;
  }
  void with_numbers(Index length) const {
    std::vector<long long> numbers(static_cast<std::size_t>(length));
    std::iota(numbers.begin(), numbers.end(), 0);
    file_.check(nc_put_var_longlong(group_, coordinate(NC_INT64), numbers.data()),
                "write a coordinate of " + what_);
  }
  void with_labels(const std::vector<std::string>& labels) const {
    std::vector<const char*> texts;
    for (const std::string& label : labels) texts.push_back(label.c_str());
    file_.check(nc_put_var_string(group_, coordinate(NC_STRING), texts.data()),
                "write a coordinate of " + what_);
  }

 private:
  int coordinate(int type) const {
    int variable = -1;
    file_.check(nc_def_var(group_, name_.c_str(), type, 1, &id_, &variable),
                "define a coordinate of " + what_);
    return variable;
  }

  const NcFile& file_;
  int group_;
  const std::string& name_;
  const std::string& what_;
  int id_ = -1;
};

int define_dimension(const NcFile& file, int group, const std::string& name, Index length,
                     const std::vector<Labels>& labels, const std::string& what) {
  int known = -1;
  if (nc_inq_dimid(group, name.c_str(), &known) == NC_NOERR) return known;
  NewDimension dimension(file, group, name, what);
  const int id = dimension.with_length(length);
  const auto found = std::find_if(labels.begin(), labels.end(),
                                  [&](const Labels& one) { return one.dim == name; });
  if (found == labels.end())
    dimension.with_numbers(length);
  else
    dimension.with_labels(found->labels);
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
    dimensions.push_back(define_dimension(file, group, names[k], array.shape[k], labels, what));
  return dimensions;
}

}  // namespace mixwell::netcdf
