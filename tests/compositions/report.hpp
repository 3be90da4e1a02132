// The table of all rows, condensed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enumeration.hpp"
#include "row.hpp"

#include <string>
#include <vector>

namespace compositions {

/// Markdown: rows by compositor and certificate, what decided them, disagreements, and what is open
/// or untested and why.
std::string summary(const std::vector<Row>& rows);

/// What an enumeration went through, and what does not type-check, by the reason of refusal.
std::string summary(const Enumeration& enumeration);

}  // namespace compositions
