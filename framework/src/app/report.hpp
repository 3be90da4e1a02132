// The text printed after a run: tables, warnings and example code that loads the draws.
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

/// Limits the length of a table. If there are more than `rows` rows, the last elements of arrays
/// (`beta[7]`) are left out. Scalars are never left out. `more` is the command that shows all rows.
struct Cut {
  std::size_t rows = whole_table;
  std::string more;
};

/// A table with one row per variable or direction; `heading` is the heading of the first column. A
/// row is marked if its effective sample sizes are too small to trust.
std::string variable_table(const std::vector<SummaryRow>& rows, const Cut& cut,
                           const std::string& heading);

/// Lines with acceptance rate, divergences, E-BFMI and efficiency.
std::string sampler_lines(const SamplerSummary& sampler);

/// Lines of Python and R that open `file` (a draws.nc) and the first variable in `group`.
std::string opening_lines(const std::string& file, const std::vector<SummaryRow>& variables,
                          const std::string& group);

/// The whole summary: the table, the sampler's statistics, the parts that the summary has
/// (estimators of papers, directions, reference), warnings, and statistics that could not be
/// judged.
std::string summary_text(const Summary& summary, const Advice& advice, const Cut& cut);

}  // namespace mixwell::app
