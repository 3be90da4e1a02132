// A few of many compositions.
// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"

#include <mixwell/base/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace compositions {
namespace {

/// In an order that the seed decides.
std::vector<Candidate> shuffled(std::vector<Candidate> all, std::uint64_t seed) {
  std::sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
    const auto rank = [&](const Candidate& c) {
      return mixwell::hash_role(fmt::format("{}/{}", seed, c.id));
    };
    return rank(a) < rank(b);
  });
  return all;
}

std::vector<std::uint64_t> components_of(const Candidate& candidate) {
  std::vector<std::uint64_t> all;
  for (const std::string& name : candidate.draft.components)
    all.push_back(mixwell::hash_role(name));
  return all;
}

/// Every value of a key, and every component, under every certificate.
std::vector<std::uint64_t> choices_of(const Candidate& candidate) {
  std::vector<std::uint64_t> all;
  for (const Choice& choice : candidate.draft.choices)
    all.push_back(mixwell::hash_role(candidate.certificate + " " + choice.text()));
  return all;
}

template <class Shows>
std::vector<std::size_t> covering(const std::vector<Candidate>& all, const Shows& shows) {
  std::vector<std::vector<std::uint64_t>> shown_by;
  for (const Candidate& candidate : all) shown_by.push_back(shows(candidate));
  return cover(shown_by);
}

}  // namespace

std::vector<Candidate> sampled(const std::vector<Candidate>& all, std::size_t count,
                               std::uint64_t seed) {
  const std::vector<Candidate> order = shuffled(all, seed);
  count = std::min(count, order.size());
  std::set<std::size_t> taken;
  std::vector<Candidate> chosen;
  const auto take = [&](std::size_t k) {
    if (chosen.size() < count && taken.insert(k).second) chosen.push_back(order[k]);
  };
  for (const std::size_t k : covering(order, components_of)) take(k);
  while (chosen.size() < count) {
    std::set<std::string> seen;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::string stratum = order[k].draft.choices.front().id + " " + order[k].certificate;
      if (!taken.contains(k) && seen.insert(stratum).second) take(k);
    }
  }
  return chosen;
}

std::set<std::size_t> drawn_among(const std::vector<Candidate>& all) {
  const std::vector<std::size_t> chosen = covering(all, choices_of);
  return {chosen.begin(), chosen.end()};
}

}  // namespace compositions
