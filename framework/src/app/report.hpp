// What a person reads at the end of a run: tables, warnings, ways to the draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice/advice.hpp"

#include <mixwell/lab/summary.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace mixwell::app {

inline constexpr std::size_t short_table = 40;
inline constexpr std::size_t whole_table = std::numeric_limits<std::size_t>::max();

/// How much of a long table is shown: if there are more than `rows`, indexed names (`beta[7]`) are
/// left out from the end, scalars never; `more` says how to see all.
struct Cut {
  std::size_t rows = whole_table;
  std::string more;
};

/// One row per variable (or direction, as `heading` says); rows whose effective sample sizes are
/// too small to rely on say so at their end.
std::string variable_table(const std::vector<SummaryRow>& rows, const Cut& cut,
                           const std::string& heading);

/// Acceptance, divergences, E-BFMI and the efficiency, a line or two.
std::string sampler_lines(const SamplerSummary& sampler);

/// Lines of Python and R that open `file` (a draws.nc) and the first of the variables in `group`.
std::string opening_lines(const std::string& file, const std::vector<SummaryRow>& variables,
                          const std::string& group);

/// Table, sampler, papers' estimators, directions and reference where the summary has them,
/// warnings, and what could not be judged.
std::string summary_text(const Summary& summary, const Advice& advice, const Cut& cut);

}  // namespace mixwell::app
