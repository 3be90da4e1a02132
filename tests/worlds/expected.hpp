// The table of cases of which the judgement is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge.hpp"

#include <string>

namespace mixwell::testing {

/// Rows of `kind` (all if it is empty), columns separated by tabs:
///   tape      name  judgement   tape      language
///   count     name  right/hole  -         language    of all its wirings
///   manifest  name  judgement   path      -           below the folder of the sources
///   planted   rule N  hole      - or path language    of it, or of the manifest, without rule N
/// Prints the rows that are otherwise; true: none is, and there is a row.
bool compare_with_table(const std::string& path, const std::string& kind, const Effort& effort);

}  // namespace mixwell::testing
