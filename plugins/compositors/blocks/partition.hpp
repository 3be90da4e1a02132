// How the coordinates of a position fall to slots, so that every update moves whole slots.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::blocks {

/// What an update moves, or what stays fixed.
struct Selection {
  std::string name;                ///< as the manifest says it: "beta, z[0:10]"
  std::string label;               ///< of the kernel; "" where nothing moves it
  std::vector<Index> coordinates;  ///< ascending
};

/// Coordinates that the same selections name.
struct SlotPlan {
  std::string name;
  std::vector<Index> coordinates;
  bool fixed = false;
};

/// The fewest slots of which every selection is a union.
struct Partition {
  std::vector<SlotPlan> slots;
  /// By selection: its slots, as numbers in `slots`.
  std::vector<std::vector<std::size_t>> of_selection;
};

/// A selection that is one slot gives it its name; what several share has the labels of all.
inline std::string slot_name(const std::vector<Selection>& selections,
                             const std::vector<std::size_t>& members,
                             const std::vector<Index>& coordinates) {
  std::string shared;
  for (const std::size_t k : members) {
    if (selections[k].coordinates == coordinates) return selections[k].name;
    shared += (shared.empty() ? "" : " & ") + selections[k].label;
  }
  return shared;
}

/// Of coordinates that are in some selection. Slots come in the order of their first coordinates.
inline Partition partition(const std::vector<Selection>& selections) {
  std::map<Index, std::vector<std::size_t>> members;  // of each coordinate
  for (std::size_t k = 0; k < selections.size(); ++k) {
    for (const Index c : selections[k].coordinates) members[c].push_back(k);
  }
  std::vector<std::pair<std::vector<std::size_t>, std::vector<Index>>> classes;
  for (const auto& [coordinate, in] : members) {
    auto found = std::find_if(classes.begin(), classes.end(),
                              [&](const auto& one) { return one.first == in; });
    if (found == classes.end()) found = classes.insert(classes.end(), {in, {}});
    found->second.push_back(coordinate);
  }
  Partition result;
  result.of_selection.resize(selections.size());
  for (const auto& [in, coordinates] : classes) {
    for (const std::size_t k : in) result.of_selection[k].push_back(result.slots.size());
    result.slots.push_back({slot_name(selections, in, coordinates), coordinates,
                            selections[in.front()].label.empty()});
  }
  return result;
}

}  // namespace mixwell::blocks
