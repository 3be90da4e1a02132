// Replaces labels with indices in texts that select parameters: beta[age] becomes beta[2].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/slices.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/model.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Replaces the labels in a text with indices ("beta[age]" becomes "beta[2]"), so that
/// select_coordinates can read the text. A text without labels stays as it is. Throws InputError
/// with the rule that the text breaks, and the nearest label.
MIXWELL_INTERNAL std::string selection_by_numbers(const std::vector<Parameter>& parameters,
                                                  const std::vector<Labels>& labels,
                                                  const std::string& text);

}  // namespace mixwell
