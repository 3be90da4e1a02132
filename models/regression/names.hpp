// Column names made safe as names of recorded variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "labels.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>
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

namespace detail {

/// Whether "a[1]" stands beside "a", and would be taken for an element of it.
inline bool looks_like_element(const std::string& name, const std::set<std::string>& names) {
  for (std::size_t open = name.find('['); open != name.npos; open = name.find('[', open + 1))
    if (names.contains(name.substr(0, open))) return true;
  return false;
}

/// One that draws.nc uses itself, that is taken, or that looks like an element of another, gets `_`
/// at its end.
inline std::string free_name(std::string name, const std::set<std::string>& taken,
                             const std::set<std::string>& columns) {
  const bool is_reserved = !broken_name_rule(name).empty();
  if ((is_reserved && broken_name_rule(name + "_").empty()) || looks_like_element(name, columns))
    name += '_';
  while (taken.contains(name)) name += '_';
  return name;
}

/// One remark for all: a table may have thousands of columns.
inline void add_remark_on_renamed(const std::vector<std::pair<std::string, std::string>>& renamed,
                                  std::vector<std::string>& remarks) {
  if (renamed.empty()) return;
  constexpr std::size_t most = 3;
  std::string texts;
  for (std::size_t k = 0; k < std::min(renamed.size(), most); ++k)
    texts += (k == 0 ? "" : ", that of ") + ("column " + quoted(renamed[k].first)) + " as " +
             quoted(renamed[k].second);
  if (renamed.size() > most)
    texts += ", and those of " + std::to_string(renamed.size() - most) + " more columns likewise";
  remarks.push_back("Coefficients are recorded under other names: that of " + texts + ".");
}

}  // namespace detail

/// The safe names, all different, with one remark on those that were changed. Throws InputError for
/// a column of the file `path` whose name nothing makes safe: too long, or no UTF-8.
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
      throw InputError(path + ": the column " + quoted(name) + " cannot name a coefficient: it " +
                       rule + "; give it another name, or leave it out of `inputs`");
    if (changed != name) renamed.emplace_back(name, changed);
    taken.insert(changed);
    safe.push_back(changed);
  }
  detail::add_remark_on_renamed(renamed, remarks);
  return safe;
}

}  // namespace mixwell::regression
