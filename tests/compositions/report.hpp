// The table of all rows, condensed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "row.hpp"

#include <string>
#include <vector>

namespace compositions {

/// How many rows have that outcome.
std::size_t count(const std::vector<Row>& rows, const std::string& outcome);

/// Markdown: rows by compositor and certificate, what is open or untested and why, disagreements,
/// and what does not type-check.
std::string summary(const Enumeration& enumeration, const std::vector<Row>& rows);

}  // namespace compositions
