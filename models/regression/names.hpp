// Column names made safe as names of recorded variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace mixwell::regression {

/// A NetCDF name has no slash and no control character and begins with a letter, a digit, `_` or a
/// character beyond ASCII: what is not allowed becomes `_`.
inline std::string netcdf_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c == '/' || c < 0x20 || c == 0x7F; },
      '_');
  const auto first = static_cast<unsigned char>(name.front());
  if (first < 0x80 && std::isalnum(first) == 0 && first != '_') name.insert(name.begin(), '_');
  return name;
}

/// Names that a file of draws uses for itself.
inline bool is_reserved(const std::string& name) {
  static const std::set<std::string> reserved = {"chain", "draw", "replicate", "slot", "sample"};
  return reserved.contains(name);
}

/// The safe names, all different: a reserved or repeated one gets `_` at its end. A remark for each
/// name that was changed.
inline std::vector<std::string> safe_names(const std::vector<std::string>& names,
                                           std::vector<std::string>& remarks) {
  std::set<std::string> taken;
  std::vector<std::string> safe;
  for (const std::string& name : names) {
    std::string changed = netcdf_name(name);
    while (is_reserved(changed) || taken.contains(changed)) changed += '_';
    if (changed != name)
      remarks.push_back("The coefficient of column \"" + name + "\" is recorded as \"" + changed +
                        "\".");
    taken.insert(changed);
    safe.push_back(changed);
  }
  return safe;
}

}  // namespace mixwell::regression
