// Parts of a model's parameters by labels, for components that know them by numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/slices.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/model.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// What select_coordinates takes for the same coordinates: `text` itself, unless it has labels of
/// `labels` instead of numbers: "beta[age]" is "beta[2]" then. Throws InputError with the rule
/// that it breaks, as select_coordinates does, and the nearest label.
MIXWELL_INTERNAL std::string selection_by_numbers(const std::vector<Parameter>& parameters,
                                                  const std::vector<Labels>& labels,
                                                  const std::string& text);

}  // namespace mixwell
