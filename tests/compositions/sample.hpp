// A few of many compositions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enumeration.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace compositions {

/// `count` of the candidates: first such that every component is in one of them, as far as they
/// reach; then one of each compositor and certificate in turn, by chance within them. Depends only
/// on its arguments.
std::vector<Candidate> sampled(const std::vector<Candidate>& all, std::size_t count,
                               std::uint64_t seed);

/// Numbers of candidates in which every component, and every value of a key, is met under every
/// certificate that it is met under: the code of each is then in one that is drawn.
std::set<std::size_t> drawn_among(const std::vector<Candidate>& all);

}  // namespace compositions
