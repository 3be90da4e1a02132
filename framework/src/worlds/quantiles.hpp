// Distributions over a few values as shares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/chance.hpp"
#include "worlds/exact.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace mixwell::worlds {

/// The share of the k-th of n equal parts of [0, 1) that lies in [from / of, to / of).
inline Share share_of_part(int k, int n, std::uint64_t from, std::uint64_t to, std::uint64_t of) {
  const auto parts = static_cast<std::uint64_t>(n);
  const std::uint64_t low = std::max(static_cast<std::uint64_t>(k) * of, parts * from);
  const std::uint64_t high = std::min(static_cast<std::uint64_t>(k + 1) * of, parts * to);
  return {high > low ? high - low : 0, of};
}

/// One of `count` values for certain.
inline std::vector<Share> always(std::size_t count, int value) {
  std::vector<Share> all(count, Share{0, 1});
  all[at(value)] = {1, 1};
  return all;
}

inline std::vector<Share> by_weight(const std::vector<std::uint64_t>& w) {
  const std::uint64_t sum = std::accumulate(w.begin(), w.end(), std::uint64_t{0});
  std::vector<Share> all;
  for (const std::uint64_t one : w) all.push_back({one, sum});
  return all;
}

/// By the distribution function at one of `draws` equal parts of a uniform number, which the seed
/// orders.
inline std::vector<Share> by_quantile(const std::vector<std::uint64_t>& w, int draw, int draws,
                                      std::uint64_t seed) {
  const std::uint64_t sum = std::accumulate(w.begin(), w.end(), std::uint64_t{0});
  const int part = random_permutation(seed, draws)[at(draw)];
  std::vector<Share> all;
  std::uint64_t from = 0;
  for (const std::uint64_t one : w) {
    all.push_back(share_of_part(part, draws, from, from + one, sum));
    from += one;
  }
  return all;
}

/// From x by two Metropolis steps that propose by one involution each.
inline std::vector<Share> two_metropolis_steps(const std::vector<std::uint64_t>& w, int x,
                                               std::uint64_t seed) {
  const int n = static_cast<int>(w.size());
  const Permutation first = random_involution(mixed(seed, 1), n);
  const Permutation second = random_involution(mixed(seed, 2), n);
  const std::uint64_t of = w[at(x)];
  const std::uint64_t second_of =
      std::accumulate(w.begin(), w.end(), std::uint64_t{1}, std::lcm<std::uint64_t, std::uint64_t>);
  std::vector<Share> all(w.size(), Share{0, of * second_of});
  const std::uint64_t taken = std::min(w[at(first[at(x)])], of);
  const auto step = [&](int from, std::uint64_t part) {
    const int to = second[at(from)];
    const std::uint64_t here = w[at(from)];
    const std::uint64_t there = std::min(w[at(to)], here);
    all[at(to)].part += part * there * (second_of / here);
    all[at(from)].part += part * (here - there) * (second_of / here);
  };
  step(first[at(x)], taken);
  step(x, of - taken);
  return all;
}

}  // namespace mixwell::worlds
