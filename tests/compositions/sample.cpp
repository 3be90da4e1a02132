// A few of many compositions.
// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"

#include <mixwell/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
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

class Sampler {
 public:
  Sampler(std::vector<Candidate> all, std::size_t count)
      : all_(std::move(all)), count_(std::min(count, all_.size())) {}

  std::vector<Candidate> run() {
    while (chosen_.size() < count_ && add_components()) continue;
    while (chosen_.size() < count_) add_round();
    return std::move(chosen_);
  }

 private:
  std::size_t fresh(const Candidate& candidate) const {
    return static_cast<std::size_t>(
        std::count_if(candidate.draft.components.begin(), candidate.draft.components.end(),
                      [&](const std::string& c) { return !present_.contains(c); }));
  }

  /// The one with most components that are still missing.
  bool add_components() {
    const auto best = std::max_element(
        all_.begin(), all_.end(),
        [&](const Candidate& a, const Candidate& b) { return fresh(a) < fresh(b); });
    if (best == all_.end() || fresh(*best) == 0) return false;
    take(static_cast<std::size_t>(best - all_.begin()));
    return true;
  }

  void take(std::size_t k) {
    present_.insert(all_[k].draft.components.begin(), all_[k].draft.components.end());
    chosen_.push_back(std::move(all_[k]));
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  /// One of each compositor and certificate.
  void add_round() {
    std::set<std::string> seen;
    for (std::size_t k = 0; k < all_.size() && chosen_.size() < count_;) {
      const std::string stratum = all_[k].draft.choices.front().id + " " + all_[k].certificate;
      if (seen.insert(stratum).second) {
        take(k);
      } else {
        ++k;
      }
    }
  }

  std::vector<Candidate> all_;
  std::size_t count_;
  std::vector<Candidate> chosen_;
  std::set<std::string> present_;
};

}  // namespace

std::vector<Candidate> sampled(const std::vector<Candidate>& all, std::size_t count,
                               std::uint64_t seed) {
  return Sampler(shuffled(all, seed), count).run();
}

}  // namespace compositions
