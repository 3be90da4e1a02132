// Divides a position into slots so that every block of every kernel is a union of slots.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/kernel/position.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace mixwell {
namespace {

/// Coordinates that belong to the same blocks.
struct Cell {
  std::vector<std::size_t> blocks;
  std::vector<Index> coordinates;
};

/// The cells, ordered by their first coordinates.
std::vector<Cell> cells_of(const std::vector<PositionBlock>& blocks) {
  std::map<Index, std::vector<std::size_t>> holders;  // blocks of each coordinate
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    for (const Index c : blocks[k].coordinates) holders[c].push_back(k);
  }
  std::vector<Cell> cells;
  for (const auto& [coordinate, by] : holders) {
    auto found = std::find_if(cells.begin(), cells.end(),
                              [&members = by](const Cell& cell) { return cell.blocks == members; });
    if (found == cells.end()) found = cells.insert(cells.end(), {by, {}});
    found->coordinates.push_back(coordinate);
  }
  return cells;
}

std::string name_of(const Cell& cell, const std::vector<PositionBlock>& blocks) {
  std::string shared;
  for (const std::size_t k : cell.blocks) {
    if (blocks[k].coordinates == cell.coordinates) return blocks[k].name;
    shared += (shared.empty() ? "" : " & ") + blocks[k].label;
  }
  return shared;
}

/// Whether nothing moves the cell.
bool is_fixed(const Cell& cell, const std::vector<PositionBlock>& blocks) {
  return std::all_of(cell.blocks.begin(), cell.blocks.end(),
                     [&](std::size_t k) { return blocks[k].label.empty(); });
}

std::vector<Index> all_coordinates(Index dimension) {
  std::vector<Index> all(static_cast<std::size_t>(dimension));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

/// The blocks that the kernels move; a kernel that is not blockwise moves all coordinates.
std::vector<PositionBlock> blocks_of(const std::vector<std::shared_ptr<const Kernel>>& kernels,
                                     const Model& model) {
  std::vector<PositionBlock> all;
  for (const auto& kernel : kernels) {
    if (const auto* const blockwise = dynamic_cast<const BlockwiseKernel*>(kernel.get())) {
      for (PositionBlock& one : blockwise->blocks()) all.push_back(std::move(one));
    } else {
      all.push_back({model.name(), kernel->name(), all_coordinates(model.dimension())});
    }
  }
  return all;
}

}  // namespace

BlockwiseKernel::~BlockwiseKernel() = default;

std::vector<Variable> add_slots(KernelGraph& graph, const std::string& position,
                                const std::vector<PositionBlock>& blocks,
                                const std::string& prefix) {
  std::vector<Variable> slots;
  for (const Cell& cell : cells_of(blocks)) {
    slots.push_back(graph.part(prefix + name_of(cell, blocks), position, cell.coordinates,
                               is_fixed(cell, blocks)));
  }
  return slots;
}

PositionSlots add_position(KernelGraph& graph, const std::string& position, const Model& model,
                           const std::vector<std::shared_ptr<const Kernel>>& kernels) {
  const std::vector<PositionBlock> blocks = blocks_of(kernels, model);
  if (cells_of(blocks).size() == 1) {
    const Variable slot = graph.slot(position, model.dimension());
    return {{slot}, slot};
  }
  PositionSlots made{add_slots(graph, position, blocks, position + "/"), {}};
  made.whole = graph.joined(position, made.slots);
  return made;
}

void gather_position(KernelGraph& graph, const PositionSlots& at) {
  if (at.slots.size() > 1) graph.gather(at.whole);
}

void scatter_position(KernelGraph& graph, const PositionSlots& at) {
  if (at.slots.size() > 1) graph.scatter(at.whole);
}

}  // namespace mixwell
