// How many worlds leave the target invariant.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/world.hpp"

#include <mixwell/lab/worlds.hpp>

#include <algorithm>

namespace mixwell {
namespace {

using namespace worlds;

/// Whether a slot is moved in any other way than by small steps.
bool is_moved_otherwise(const KernelGraph& graph) {
  return std::any_of(
      graph.operations().begin(), graph.operations().end(), [&](const OperationInfo& o) {
        const bool small = o.kind == OperationKind::move && o.traits.local && !o.traits.invariant;
        return !small && std::any_of(o.outputs.begin(), o.outputs.end(), [&](Value v) {
          return graph[v].kind == ValueKind::version &&
                 graph[graph[v].variable].kind == VariableKind::slot;
        });
      });
}

std::optional<Departure> departure(const FiniteReading& reading, const KeyLayout& layout,
                                   const WorldsEffort& effort, std::uint64_t seed) {
  if (!effort.first_order) {
    return World<Exact>(reading, layout, seed).departure(effort.sweeps, effort.joint);
  }
  if (is_moved_otherwise(reading.graph())) throw NoReading("not every update is a small step");
  return World<FirstOrder>(reading, layout, seed).first_order_departure(effort.joint);
}

FiniteReadingResult read_with(const KernelGraph& graph, const WorldsEffort& effort,
                              const Sizes& sizes) {
  const FiniteReading reading(graph, sizes);
  const KeyLayout layout(reading);
  FiniteReadingResult result;
  while (result.worlds < effort.worlds && !result.departure) {
    const std::uint64_t seed = effort.first + static_cast<std::uint64_t>(result.worlds++);
    result.departure = departure(reading, layout, effort, seed);
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
