// A few of many compositions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enumeration.hpp"

#include <cstdint>
#include <vector>

namespace compositions {

/// `count` of the candidates: first such that every component is in one of them, as far as they
/// reach; then one of each compositor and certificate in turn, by chance within them. Depends on
/// its arguments alone.
std::vector<Candidate> sampled(const std::vector<Candidate>& all, std::size_t count,
                               std::uint64_t seed);

}  // namespace compositions
