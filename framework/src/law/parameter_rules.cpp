// Rules for the parameters that a model declares.
// SPDX-License-Identifier: Apache-2.0
#include "law/parameter_rules.hpp"

#include "base/shortened.hpp"
#include "base/utf8.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace mixwell {
namespace {

constexpr auto most = static_cast<Index>(most_coordinates);

[[noreturn]] void refuse(const Parameter& parameter, const std::string& rule) {
  throw InputError(fmt::format("the parameter `{}` of shape {{{}}}: {}", shortened(parameter.name),
                               fmt::join(parameter.shape, ", "), rule));
}

/// The size of the parameter. No product overflows, because each is at most the limit times a
/// length that is at most the limit.
Index checked_size(const Parameter& parameter) {
  Index size = 1;
  for (const Index length : parameter.shape) {
    if (length < 1) refuse(parameter, "every length of a shape must be at least 1");
    if (length > most / size)
      refuse(parameter,
             fmt::format(
                 "it has more than 2^32 = {} coordinates, which is the limit. Use smaller lengths",
                 most));
    size *= length;
  }
  return size;
}

void check_name(const Parameter& parameter) {
  const std::string rule = broken_name_rule(parameter.name);
  if (!rule.empty()) refuse(parameter, "its name " + rule + ". Give it a different name");
}

/// Shorter than the 256 bytes of netCDF, because some names get a suffix, such as `x_dim_0`.
constexpr std::size_t longest_name = 240;

/// Names that draws.nc and its readers use themselves.
constexpr std::array<std::string_view, 5> reserved = {"chain", "draw", "replicate", "slot",
                                                      "sample"};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool begins_well(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

/// Checks the dims of one array, and adds their lengths to `lengths`.
void check_own_dims(const Parameter& array, std::map<std::string_view, Index>& lengths) {
  if (array.dims.empty()) return;
  if (array.dims.size() != array.shape.size())
    refuse(array, fmt::format("it has {} dim names ({}), but its shape has a different number of "
                              "dimensions. Give one name for each dimension, or no names",
                              array.dims.size(), fmt::join(array.dims, ", ")));
  for (std::size_t k = 0; k < array.dims.size(); ++k) {
    const std::string& dim = array.dims[k];
    if (dim.empty()) continue;
    if (const std::string rule = broken_name_rule(dim); !rule.empty())
      refuse(array,
             fmt::format("the name of its dim \"{}\" {}. Rename this dim", shortened(dim), rule));
    const auto [known, is_new] = lengths.try_emplace(dim, array.shape[k]);
    if (known->second != array.shape[k])
      refuse(array, fmt::format("its dim `{}` has length {} here and length {} elsewhere. Use two "
                                "names, or make the lengths equal",
                                dim, array.shape[k], known->second));
    if (std::count(array.dims.begin(), array.dims.end(), dim) > 1)
      refuse(array,
             fmt::format("its dim `{}` occurs twice. Give one of the two a different name", dim));
  }
}

void check_labels(const Labels& all) {
  std::set<std::string_view> seen;
  for (const std::string& label : all.labels) {
    const auto refuse = [&](const char* rule) {
      throw InputError(fmt::format("the dim `{}` has the label \"{}\" {}. Change this label",
                                   all.dim, label, rule));
    };
    if (!seen.insert(label).second) refuse("twice");
    if (!is_utf8(label)) refuse("which is not valid UTF-8");
    if (label.find('\0') != std::string::npos)
      refuse("with a zero byte, which would cut off the label in draws.nc");
  }
}

std::vector<std::string> names_in(const std::map<std::string_view, Index>& lengths) {
  std::vector<std::string> names;
  for (const auto& [name, length] : lengths) names.emplace_back(name);
  return names;
}

}  // namespace

std::string broken_name_rule(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > longest_name)
    return fmt::format("has {} bytes, but may have at most {}", name.size(), longest_name);
  if (!is_utf8(name)) return "is not valid UTF-8";
  if (name.find('/') != std::string_view::npos)
    return "contains a slash, which names in draws.nc must not contain";
  if (std::any_of(name.begin(), name.end(), is_control)) return "contains a control character";
  if (!begins_well(name.front()))
    return "does not begin with a letter, a digit, `_` or a non-ASCII character";
  if (name.back() == ' ') return "ends with a blank";
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    return "is reserved for draws.nc";
  return {};
}

void check_dims(const std::vector<Parameter>& arrays, const std::vector<Labels>& labels) {
  std::map<std::string_view, Index> lengths;
  for (const Parameter& array : arrays) check_own_dims(array, lengths);
  std::set<std::string_view> labelled;
  for (const Labels& one : labels) {
    const auto found = lengths.find(one.dim);
    if (found == lengths.end())
      throw InputError(
          fmt::format("the dim `{}` has labels, but no recorded quantity has this dim{}", one.dim,
                      suggestion(one.dim, names_in(lengths))));
    if (!labelled.insert(one.dim).second)
      throw InputError(
          fmt::format("the dim `{}` has two lists of labels. Remove one of them", one.dim));
    if (found->second != static_cast<Index>(one.labels.size()))
      throw InputError(fmt::format(
          "the dim `{}` has length {}, but {} labels. Give it one label for each element", one.dim,
          found->second, one.labels.size()));
    check_labels(one);
  }
}

void check_parameters(const std::vector<Parameter>& parameters) {
  if (parameters.empty())
    throw InputError(
        "the model has no parameters, so there is nothing to sample. Declare at least one "
        "parameter");
  Index dimension = 0;
  std::set<std::string_view> names;
  for (const Parameter& parameter : parameters) {
    check_name(parameter);
    if (!names.insert(parameter.name).second)
      refuse(parameter, "another parameter has the same name. Rename one of the two");
    dimension += checked_size(parameter);
    const std::string rule = parameter.constraint.broken_shape_rule(parameter.shape);
    if (!rule.empty()) refuse(parameter, "its constraint " + rule);
    if (parameter.whole && parameter.constraint != Constraint())
      refuse(parameter,
             "its values are whole numbers with bounds, so it cannot have a constraint as well. "
             "Remove the constraint");
    if (dimension > most)
      refuse(parameter, fmt::format("with this parameter, the model has more than 2^32 = {} "
                                    "coordinates, which is the limit. Declare fewer or smaller "
                                    "parameters",
                                    most));
  }
}

}  // namespace mixwell
