// The coefficients of a regression as parameters of a model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "design.hpp"
#include "names.hpp"

#include <mixwell/plugin.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::regression {

/// The parameters of a regression, and what the levels of its factors are called.
struct Coefficients {
  std::vector<Parameter> parameters;
  std::vector<Labels> labels;
};

namespace detail {

/// Safe names of the columns that have some, else of all of them as the array beta, and of factors.
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

/// A scalar for each named column of the file `path`, else all of them as the array beta; for each
/// factor an array with the dimension NAME_level, whose labels are its levels but the first.
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

/// The labels' name in results: that of a CSV file's column, made safe, else y.
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
