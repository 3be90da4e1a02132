// The coefficients of a regression as parameters of a model, and remarks on their columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "design.hpp"
#include "names.hpp"

#include <mixwell/plugin.hpp>

#include <string>
#include <vector>

namespace mixwell::regression {

/// Blocks of coefficients: a scalar for each named column of the file `path`, else all of them as
/// the array beta.
inline std::vector<Parameter> coefficients(const Design& design, const std::string& path,
                                           std::vector<std::string>& remarks) {
  std::vector<Parameter> all;
  if (!design.has_names()) {
    if (design.has_intercept()) all.push_back({.name = "intercept", .shape = {}});
    all.push_back({.name = "beta", .shape = {design.column_count()}});
    return all;
  }
  std::vector<std::string> names;
  if (design.has_intercept()) names.push_back("intercept");
  for (Index j = 0; j < design.column_count(); ++j) names.push_back(design.column_name(j));
  for (const std::string& name : safe_names(names, path, remarks))
    all.push_back({.name = name, .shape = {}});
  return all;
}

/// What constant columns mean: a sentence for each that has a name, else one for all.
inline std::vector<std::string> remarks_on(const Design& design, const std::string& path) {
  constexpr const char* consequence = "centred, left unscaled, its coefficient keeps its prior.";
  std::vector<std::string> remarks;
  const std::vector<Index>& constant = design.constant_columns();
  if (design.has_names()) {
    for (const Index j : constant)
      remarks.push_back("Column " + quoted(design.column_name(j)) + " of " + path +
                        " is constant: " + consequence);
  } else if (!constant.empty()) {
    remarks.push_back(std::to_string(constant.size()) + " of the " +
                      std::to_string(design.column_count()) + " columns of " + path +
                      " are constant, the first of them " + design.column_name(constant.front()) +
                      ": each is " + consequence);
  }
  return remarks;
}

}  // namespace mixwell::regression
