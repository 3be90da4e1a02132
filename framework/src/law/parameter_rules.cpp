// What the parameters that a model declares must be, for anything to be made of them.
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

/// Its size; no product is larger than the limit times a length that is no larger.
Index checked_size(const Parameter& parameter) {
  Index size = 1;
  for (const Index length : parameter.shape) {
    if (length < 1) refuse(parameter, "every length of a shape is at least 1");
    if (length > most / size)
      refuse(parameter, fmt::format("it has more than 2^32 = {} coordinates", most));
    size *= length;
  }
  return size;
}

void check_name(const Parameter& parameter) {
  const std::string rule = broken_name_rule(parameter.name);
  if (!rule.empty()) refuse(parameter, "its name " + rule);
}

/// Of names that are recorded with a number behind them, such as `x_dim_0`; netCDF takes 256 bytes.
constexpr std::size_t longest_name = 240;

/// What draws.nc and its readers use for themselves.
constexpr std::array<std::string_view, 5> reserved = {"chain", "draw", "replicate", "slot",
                                                      "sample"};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool begins_well(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
}

/// Enters the lengths of its dims.
void check_own_dims(const Parameter& array, std::map<std::string_view, Index>& lengths) {
  if (array.dims.empty()) return;
  if (array.dims.size() != array.shape.size())
    refuse(array, fmt::format("it has {} dims ({}); wanted are as many as lengths, or none",
                              array.dims.size(), fmt::join(array.dims, ", ")));
  for (std::size_t k = 0; k < array.dims.size(); ++k) {
    const std::string& dim = array.dims[k];
    if (dim.empty()) continue;
    if (const std::string rule = broken_name_rule(dim); !rule.empty())
      refuse(array, fmt::format("the name of its dim \"{}\" {}", shortened(dim), rule));
    const auto [known, is_new] = lengths.try_emplace(dim, array.shape[k]);
    if (known->second != array.shape[k])
      refuse(array, fmt::format("its dim `{}` is {} long here and {} elsewhere", dim,
                                array.shape[k], known->second));
    if (std::count(array.dims.begin(), array.dims.end(), dim) > 1)
      refuse(array, fmt::format("its dim `{}` is there twice; give one of them another name", dim));
  }
}

void check_labels(const Labels& all) {
  std::set<std::string_view> seen;
  for (const std::string& label : all.labels) {
    const auto refuse = [&](const char* rule) {
      throw InputError(fmt::format("the dim `{}` has the label \"{}\" {}", all.dim, label, rule));
    };
    if (!seen.insert(label).second) refuse("twice");
    if (!is_utf8(label)) refuse("which is not valid UTF-8");
    if (label.find('\0') != std::string::npos)
      refuse("with a zero byte, where draws.nc would end it");
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
    return fmt::format("has {} bytes, and may have {}", name.size(), longest_name);
  if (!is_utf8(name)) return "is not valid UTF-8";
  if (name.find('/') != std::string_view::npos)
    return "has a slash, which would be a folder in draws.nc";
  if (std::any_of(name.begin(), name.end(), is_control)) return "has a control character";
  if (!begins_well(name.front()))
    return "begins with neither a letter, a digit, `_` nor a character beyond ASCII";
  if (name.back() == ' ') return "ends with a blank";
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    return "is one that draws.nc uses itself";
  return {};
}

void check_dims(const std::vector<Parameter>& arrays, const std::vector<Labels>& labels) {
  std::map<std::string_view, Index> lengths;
  for (const Parameter& array : arrays) check_own_dims(array, lengths);
  std::set<std::string_view> labelled;
  for (const Labels& one : labels) {
    const auto found = lengths.find(one.dim);
    if (found == lengths.end())
      throw InputError(fmt::format("the dim `{}` has labels, but nothing is recorded that has it{}",
                                   one.dim, suggestion(one.dim, names_in(lengths))));
    if (!labelled.insert(one.dim).second)
      throw InputError(fmt::format("the dim `{}` has two lists of labels", one.dim));
    if (found->second != static_cast<Index>(one.labels.size()))
      throw InputError(fmt::format("the dim `{}` is {} long, and has {} labels", one.dim,
                                   found->second, one.labels.size()));
    check_labels(one);
  }
}

void check_parameters(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) throw InputError("it has no parameters, and so nothing to sample");
  Index dimension = 0;
  std::set<std::string_view> names;
  for (const Parameter& parameter : parameters) {
    check_name(parameter);
    if (!names.insert(parameter.name).second) refuse(parameter, "another has the same name");
    dimension += checked_size(parameter);
    const std::string rule = parameter.constraint.broken_shape_rule(parameter.shape);
    if (!rule.empty()) refuse(parameter, "its constraint " + rule);
    if (parameter.whole && parameter.constraint != Constraint())
      refuse(parameter, "whole numbers have bounds of their own, and no constraint beside them");
    if (dimension > most)
      refuse(parameter, fmt::format("with it there are more than 2^32 = {} coordinates", most));
  }
}

}  // namespace mixwell
