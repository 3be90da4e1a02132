// How many worlds leave the target invariant.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/world.hpp"

#include <mixwell/lab/worlds.hpp>

namespace mixwell {
namespace {

using namespace worlds;

FiniteReadingResult read_with(const KernelGraph& graph, const WorldsEffort& effort,
                              const Sizes& sizes) {
  const FiniteReading reading(graph, sizes);
  const Layout layout(reading);
  FiniteReadingResult result;
  while (result.worlds < effort.worlds && !result.departure) {
    const std::uint64_t seed = effort.first + static_cast<std::uint64_t>(result.worlds++);
    World<Exact> world(reading, layout, seed);
    result.departure = world.departure(effort.sweeps, effort.joint);
    if (result.departure) result.departure->world = seed;
  }
  return result;
}

}  // namespace

FiniteReadingResult read_on_worlds(const KernelGraph& graph, const WorldsEffort& effort) try {
  return with_sizes_that_fit([&](const Sizes& sizes) { return read_with(graph, effort, sizes); });
} catch (const NoReading& fault) {
  FiniteReadingResult result;
  result.unread = fault.what();
  return result;
}

}  // namespace mixwell
