// What a person reads at the end of a run: tables, warnings with their cures, ways to the draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::app {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t short_table = 40;
inline constexpr std::size_t whole_table = std::numeric_limits<std::size_t>::max();

/// A summary.json and what is known beside it.
struct Summary {
  Json json;
  /// Of the kernel that adapts its step size; warnings compare it with what was reached.
  std::optional<double> target_acceptance;
};

/// `target_acceptance` of the only kernel that has one, and aims at it.
std::optional<double> target_acceptance(const std::string& effective_manifest);

/// How much of a long table is shown: if there are more than `rows`, indexed names (`beta[7]`) are
/// left out from the end, scalars never; `more` says how to see all.
struct Cut {
  std::size_t rows = whole_table;
  std::string more;
};

/// One row per variable (or direction, as `heading` says); rows whose effective sample sizes are
/// too small to rely on say so at their end.
std::string variable_table(const Json& variables, const Cut& cut, const std::string& heading);

/// Acceptance, divergences, E-BFMI and the efficiency, a line or two.
std::string sampler_lines(const Json& sampler);

/// What is wrong and what to do about it, causes before symptoms.
std::vector<std::string> warnings(const Summary& summary);

/// Lines of Python and R that open `file` (a draws.nc) and the first of the variables.
std::string opening_lines(const std::string& file, const Json& variables);

/// Table, sampler, papers' estimators, directions and reference where the summary has them,
/// warnings.
std::string summary_text(const Summary& summary, std::size_t rows, const std::string& more);

}  // namespace mixwell::app
