// The coefficients of a regression as model parameters, with names that are valid in results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "design.hpp"
#include "labels.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::regression {

/// Replaces what a NetCDF name must not contain by `_`. A name has no slash, no control character
/// and no blank at its end; it begins with a letter, a digit, `_` or a character beyond ASCII.
inline std::string netcdf_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c == '/' || c < 0x20 || c == 0x7F; },
      '_');
  if (name.back() == ' ') name.back() = '_';
  const auto first = static_cast<unsigned char>(name.front());
  if (first < 0x80 && std::isalnum(first) == 0 && first != '_') name.insert(name.begin(), '_');
  return name;
}

namespace detail {

/// Whether a name like "a[1]" would be taken for an element of another name "a".
inline bool looks_like_element(const std::string& name, const std::set<std::string>& names) {
  for (std::size_t open = name.find('['); open != name.npos; open = name.find('[', open + 1))
    if (names.contains(name.substr(0, open))) return true;
  return false;
}

/// Adds `_` to a name that draws.nc uses itself, that is taken, or that looks like an element of
/// another.
inline std::string free_name(std::string name, const std::set<std::string>& taken,
                             const std::set<std::string>& columns) {
  const bool is_reserved = !broken_name_rule(name).empty();
  if ((is_reserved && broken_name_rule(name + "_").empty()) || looks_like_element(name, columns))
    name += '_';
  while (taken.contains(name)) name += '_';
  return name;
}

/// Adds one remark for all names, because a table may have thousands of columns.
inline void add_remark_on_renamed(const std::vector<std::pair<std::string, std::string>>& renamed,
                                  std::vector<std::string>& remarks) {
  if (renamed.empty()) return;
  constexpr std::size_t most = 3;
  std::string texts;
  for (std::size_t k = 0; k < std::min(renamed.size(), most); ++k)
    texts += (k == 0 ? "column " : ", column ") + quoted(renamed[k].first) + " as " +
             quoted(renamed[k].second);
  if (renamed.size() > most) texts += ", and " + std::to_string(renamed.size() - most) + " more";
  remarks.push_back(
      "The coefficients of these columns are recorded under different names: " + texts + ".");
}

}  // namespace detail

/// The safe names, all different, with one remark about those that were changed. Throws InputError
/// for a column of the file `path` whose name cannot be made safe: it is too long, or not UTF-8.
inline std::vector<std::string> safe_names(const std::vector<std::string>& names,
                                           const std::string& path,
                                           std::vector<std::string>& remarks) {
  const std::set<std::string> columns(names.begin(), names.end());
  std::set<std::string> taken;
  std::vector<std::string> safe;
  std::vector<std::pair<std::string, std::string>> renamed;
  for (const std::string& name : names) {
    const std::string changed = detail::free_name(netcdf_name(name), taken, columns);
    if (const std::string rule = broken_name_rule(changed); !rule.empty())
      throw InputError(path + ": the column " + quoted(name) +
                       " cannot name a coefficient, because it " + rule +
                       ". Rename the column, or leave it out of `inputs`.");
    if (changed != name) renamed.emplace_back(name, changed);
    taken.insert(changed);
    safe.push_back(changed);
  }
  detail::add_remark_on_renamed(renamed, remarks);
  return safe;
}

/// The parameters of a regression, and the labels of its factors' levels.
struct Coefficients {
  std::vector<Parameter> parameters;
  std::vector<Labels> labels;
};

namespace detail {

/// The safe names of the columns if they have names, otherwise the array beta; and the safe names
/// of the factors.
inline std::vector<std::string> coefficient_names(const Design& design, const std::string& path,
                                                  std::vector<std::string>& remarks) {
  std::vector<std::string> names;
  if (design.has_intercept()) names.emplace_back("intercept");
  if (design.has_names())
    for (Index j = 0; j < design.column_count(); ++j) names.push_back(design.column_name(j));
  else if (design.column_count() > 0)
    names.emplace_back("beta");
  for (const Factor& factor : design.factors()) names.push_back(factor.name);
  return safe_names(names, path, remarks);
}

}  // namespace detail

/// A scalar for each named column of the file `path`, otherwise the array beta for all columns. For
/// each factor an array with the dimension NAME_level, whose labels are all levels except the
/// first.
inline Coefficients coefficients(const Design& design, const std::string& path,
                                 std::vector<std::string>& remarks) {
  Coefficients all;
  const std::vector<std::string> names = detail::coefficient_names(design, path, remarks);
  const std::size_t before = names.size() - design.factors().size();
  for (std::size_t k = 0; k < before; ++k) {
    const bool is_array = !design.has_names() && k + 1 == before && names[k] == "beta";
    all.parameters.push_back({.name = names[k], .shape = {}});
    if (is_array) all.parameters.back().shape = {design.column_count()};
  }
  for (std::size_t k = 0; k < design.factors().size(); ++k) {
    const std::vector<std::string>& levels = design.factors()[k].categories.levels;
    const std::string dim = names[before + k] + "_level";
    all.parameters.push_back(
        {.name = names[before + k], .shape = {std::ssize(levels) - 1}, .dims = {dim}});
    all.labels.push_back({dim, {levels.begin() + 1, levels.end()}});
  }
  return all;
}

/// The name of the labels in results: the safe name of the CSV column, or y for other formats.
inline std::string response_name(const std::optional<std::string>& column, const std::string& path,
                                 std::vector<std::string>& remarks) {
  if (!column) return "y";
  std::vector<std::string> of_names;
  const std::string name = safe_names({*column}, path, of_names).front();
  if (name != *column)
    remarks.push_back("The labels of column " + quoted(*column) + " are recorded as " +
                      quoted(name) + ".");
  return name;
}

inline std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& one : parameters) names.push_back(one.name);
  return names;
}

}  // namespace mixwell::regression
