// Which rows of a long table summary.json has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/table.hpp"

#include <mixwell/export.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Of a table with more rows than this, summary.json has some.
inline constexpr std::size_t most_rows_shown = 20000;

/// Throws InputError, said to come from `key`, where one of the names is neither a variable of
/// `posterior` ("x") nor elements of one, by numbers or labels ("x[3]", "x[Ulm]", "x[0:10]").
MIXWELL_INTERNAL void check_row_names(const std::vector<std::string>& names,
                                      const std::vector<Column>& columns,
                                      const std::vector<Labels>& labels, const std::string& key);

/// All rows, unless they are too many: then those that are named, scalars, and the worst: no
/// ess_bulk, the smallest ess_bulk and ess_tail, the largest rhat, 500 of each. In order.
std::vector<ElementPlace> shown_rows(const SummaryTable& table,
                                     const std::vector<std::string>& names,
                                     const std::vector<Labels>& labels);

}  // namespace mixwell
