// How many worlds leave the target invariant.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/world.hpp"

#include <mixwell/lab/worlds.hpp>

#include <algorithm>

namespace mixwell {
namespace {

using namespace worlds;

std::optional<Departure> departure(const FiniteReading& reading, const KeyLayout& layout,
                                   const WorldsEffort& effort, std::uint64_t seed,
                                   WorkLimit& work) {
  if (!effort.first_order)
    return World<Exact>(reading, layout, seed, work).departure(effort.sweeps, effort.joint);
  return World<FirstOrder<Exact>>(reading, layout, seed, work)
      .departure(effort.sweeps, effort.joint);
}

/// The first world may use a quarter if there are smaller ones, so that they can be tried instead.
FiniteReadingResult read_with(const KernelGraph& graph, const WorldsEffort& effort,
                              const Sizes& sizes, bool is_smallest, WorkLimit& work) {
  const FiniteReading reading(graph, sizes);
  const KeyLayout layout(reading);
  FiniteReadingResult result;
  work.allow(is_smallest ? effort.most_work : effort.most_work / 4);
  for (; result.worlds < effort.worlds && !result.departure; ++result.worlds) {
    const std::uint64_t seed = effort.first + static_cast<std::uint64_t>(result.worlds);
    try {
      result.departure = departure(reading, layout, effort, seed, work);
    } catch (const WorkLimit::Spent&) {
      if (result.worlds == 0) throw;
      break;
    }
    if (result.departure) result.departure->world = seed;
    work.allow(effort.most_work);
  }
  return result;
}

}  // namespace

FiniteReadingResult read_on_worlds(const KernelGraph& graph, const WorldsEffort& effort) {
  WorkLimit work;
  FiniteReadingResult result;
  const std::vector<Sizes> sizes = all_sizes(effort);
  for (std::size_t k = sizes.size(); k-- > 0;) {
    try {
      result = read_with(graph, effort, sizes[k], k == 0, work);
      break;
    } catch (const WorkLimit::Spent& fault) {
      result.unread = fault.what();
      k = std::min<std::size_t>(k, 1);  // next is the smallest
    } catch (const NoReading& fault) {
      result.unread = fault.what();
    }
  }
  result.work = work.used();
  return result;
}

}  // namespace mixwell
