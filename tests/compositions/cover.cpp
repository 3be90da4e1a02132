// A few members of a set that show all that the set shows.
// SPDX-License-Identifier: Apache-2.0
#include "cover.hpp"

#include <algorithm>
#include <queue>
#include <unordered_set>
#include <utility>

namespace compositions {

std::vector<std::size_t> cover(const std::vector<std::vector<std::uint64_t>>& shown_by) {
  std::vector<std::size_t> chosen;
  std::unordered_set<std::uint64_t> shown;
  const auto gain = [&](std::size_t k) {
    return std::count_if(shown_by[k].begin(), shown_by[k].end(),
                         [&](std::uint64_t what) { return !shown.contains(what); });
  };
  // A gain only shrinks: an old one bounds it.
  std::priority_queue<std::pair<std::int64_t, std::int64_t>> queue;
  for (std::size_t k = 0; k < shown_by.size(); ++k)
    queue.emplace(shown_by[k].size(), -static_cast<std::int64_t>(k));
  while (!queue.empty()) {
    const std::int64_t minus = queue.top().second;
    queue.pop();
    const auto k = static_cast<std::size_t>(-minus);
    const std::int64_t now = gain(k);
    if (now == 0) continue;
    if (!queue.empty() && now < queue.top().first) {
      queue.emplace(now, minus);
      continue;
    }
    shown.insert(shown_by[k].begin(), shown_by[k].end());
    chosen.push_back(k);
  }
  return chosen;
}

}  // namespace compositions
