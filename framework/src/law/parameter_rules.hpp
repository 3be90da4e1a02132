// What the parameters that a model declares must be, for anything to be made of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/model.hpp>

#include <vector>

namespace mixwell {

/// Throws InputError naming parameter, rule and value: names that results can have, lengths of at
/// least 1, at most 2^32 coordinates in all.
void check_parameters(const std::vector<Parameter>& parameters);

/// Throws InputError naming parameter, dim and rule: as many dims as lengths, or none; one length,
/// and as many labels, all different, for each; no two lists of labels, and none for a dim that
/// nothing has.
/// `arrays`: all that the model records or gives as data.
void check_dims(const std::vector<Parameter>& arrays, const std::vector<Labels>& labels);

}  // namespace mixwell
