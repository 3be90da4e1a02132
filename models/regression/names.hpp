// Column names made safe as names of recorded variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "labels.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace mixwell::regression {

/// A NetCDF name has no slash, no control character and no blank at its end, and begins with a
/// letter, a digit, `_` or a character beyond ASCII: what is not allowed becomes `_`.
inline std::string netcdf_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c == '/' || c < 0x20 || c == 0x7F; },
      '_');
  if (name.back() == ' ') name.back() = '_';
  const auto first = static_cast<unsigned char>(name.front());
  if (first < 0x80 && std::isalnum(first) == 0 && first != '_') name.insert(name.begin(), '_');
  return name;
}

/// The safe names, all different: one that draws.nc uses itself, or that is taken, gets `_` at its
/// end. A remark for each name that was changed. Throws InputError for a column of the file `path`
/// whose name nothing makes safe: too long, or no UTF-8.
inline std::vector<std::string> safe_names(const std::vector<std::string>& names,
                                           const std::string& path,
                                           std::vector<std::string>& remarks) {
  std::set<std::string> taken;
  std::vector<std::string> safe;
  for (const std::string& name : names) {
    std::string changed = netcdf_name(name);
    const bool is_reserved = !broken_name_rule(changed).empty();
    if (is_reserved && broken_name_rule(changed + "_").empty()) changed += '_';
    while (taken.contains(changed)) changed += '_';
    if (const std::string rule = broken_name_rule(changed); !rule.empty())
      throw InputError(path + ": the column " + quoted(name) + " cannot name a coefficient: it " +
                       rule + "; give it another name, or leave it out of `inputs`");
    if (changed != name)
      remarks.push_back("The coefficient of column \"" + name + "\" is recorded as \"" + changed +
                        "\".");
    taken.insert(changed);
    safe.push_back(changed);
  }
  return safe;
}

}  // namespace mixwell::regression
