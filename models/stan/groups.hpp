// Which quantities of a Stan program, and which of its data, belong to which group of the results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mixwell::stan {

/// Keys of a manifest: names of transformed parameters and generated quantities, and of data.
struct Groups {
  std::vector<std::string> log_likelihood = {"log_lik"};
  std::vector<std::string> posterior_predictive = {"y_rep"};
  std::vector<std::string> observed_data;

  void declare(Fields& fields) {
    fields.texts("log_likelihood", log_likelihood)
        .help("transformed parameters or generated quantities for the group of that name");
    fields.texts("posterior_predictive", posterior_predictive)
        .help("the same for the group posterior_predictive");
    fields.texts("observed_data", observed_data)
        .help(
            "variables of the data for the group observed_data; by default y for y_rep, where "
            "their shapes are the same");
  }

  RecordGroup of(const std::string& name) const {
    const auto has = [&name](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (has(log_likelihood)) return RecordGroup::log_likelihood;
    return has(posterior_predictive) ? RecordGroup::posterior_predictive : RecordGroup::posterior;
  }

  /// All but the first `count` arrays get their groups.
  std::vector<Parameter> applied(std::vector<Parameter> arrays, std::size_t count) const {
    for (std::size_t k = count; k < arrays.size(); ++k) arrays[k].group = of(arrays[k].name);
    return arrays;
  }
};

namespace detail {

/// What follows the name of data in that of data drawn anew.
inline constexpr std::string_view repeated = "_rep";

/// Names of a manifest must be there; those that are defaults need not.
inline void require_grouped(const std::string& key, const std::vector<std::string>& names,
                            const std::vector<std::string>& defaults,
                            const std::vector<Parameter>& quantities) {
  if (names == defaults) return;
  std::vector<std::string> known;
  std::set<std::string> grouped;
  for (const Parameter& one : quantities) {
    known.push_back(one.name);
    if (one.group != RecordGroup::posterior) grouped.insert(one.name);
  }
  for (const std::string& name : names)
    if (!grouped.contains(name))
      throw ParameterError(key, "`" + name +
                                    "` is no transformed parameter or generated quantity that is "
                                    "recorded" +
                                    suggestion(name, known));
}

inline std::vector<NamedValues> named_data(const std::vector<std::string>& names,
                                           const Data& data) {
  const std::vector<std::string> known(data.names.begin(), data.names.end());
  std::vector<NamedValues> found;
  for (const std::string& name : names) {
    const auto one = std::find_if(data.kept.begin(), data.kept.end(),
                                  [&](const NamedValues& kept) { return kept.name == name; });
    if (one == data.kept.end())
      throw ParameterError(
          "observed_data",
          "`" + name + "` is no variable of the data with numbers alone" + suggestion(name, known));
    found.push_back(*one);
  }
  return found;
}

}  // namespace detail

/// Variables of the data that may be observed.
inline std::set<std::string> observable(const Groups& groups) {
  std::set<std::string> names(groups.observed_data.begin(), groups.observed_data.end());
  if (!names.empty()) return names;
  for (const std::string& name : groups.posterior_predictive)
    if (name.ends_with(detail::repeated))
      names.insert(name.substr(0, name.size() - detail::repeated.size()));
  return names;
}

/// Throws ParameterError for a name that is none of the quantities, which have their groups.
inline void require_groups(const Groups& groups, const std::vector<Parameter>& quantities) {
  const Groups defaults;
  detail::require_grouped("log_likelihood", groups.log_likelihood, defaults.log_likelihood,
                          quantities);
  detail::require_grouped("posterior_predictive", groups.posterior_predictive,
                          defaults.posterior_predictive, quantities);
}

/// Those that the manifest names, or else all whose shape is that of what repeats them. Throws
/// ParameterError for a name that is none.
inline std::vector<NamedValues> observed(const Groups& groups, const Data& data,
                                         const std::vector<Parameter>& quantities) {
  if (!groups.observed_data.empty()) return detail::named_data(groups.observed_data, data);
  std::vector<NamedValues> found;
  for (const Parameter& one : quantities)
    for (const NamedValues& seen : data.kept)
      if (one.group == RecordGroup::posterior_predictive &&
          one.name == seen.name + std::string(detail::repeated) && one.shape == seen.shape)
        found.push_back(seen);
  return found;
}

}  // namespace mixwell::stan
