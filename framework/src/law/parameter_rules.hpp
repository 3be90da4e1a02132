// Rules for the parameters that a model declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

#include <vector>

namespace mixwell {

/// Throws InputError with the parameter, the rule and the value. The names must be allowed in
/// results. Every length must be at least 1, and there may be at most 2^32 coordinates in all.
void check_parameters(const std::vector<Parameter>& parameters);

/// Throws InputError with the parameter, the dim and the rule. An array has one dim for each
/// length, or none. A dim has the same length everywhere. A dim may have one list of labels, with
/// as many different labels as its length. A dim with labels must belong to an array. `arrays`:
/// everything that the model records or gives as data.
void check_dims(const std::vector<Parameter>& arrays, const std::vector<Labels>& labels);

}  // namespace mixwell
