// A few members of a set that show all that the set shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace compositions {

/// Numbers of members which together show all that any member shows. Greedy: each is one that shows
/// most of what none before it shows; of equals the first.
std::vector<std::size_t> cover(const std::vector<std::vector<std::uint64_t>>& shown_by);

}  // namespace compositions
