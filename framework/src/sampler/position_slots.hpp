// The slots of a position, and which of its rows each of them holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/row_runs.hpp"
#include "sampler/schedule.hpp"

#include <mixwell/graph.hpp>

#include <numeric>
#include <string>
#include <vector>

namespace mixwell {

/// Rows of a whole position that a slot holds.
inline RowRuns rows_of(const VariableInfo& slot) {
  if (!slot.coordinates.empty()) return RowRuns(slot.coordinates);
  std::vector<Index> all(static_cast<std::size_t>(slot.rows));
  std::iota(all.begin(), all.end(), Index{0});
  return RowRuns(all);
}

/// Calls visit(rows, numbers) for every slot of the position that something reads.
template <class Visit>
void visit_slots(const KernelGraph& graph, const std::string& position, Storage& storage,
                 const Visit& visit) {
  for (const Variable slot : slots_of(graph, position)) {
    const VariableInfo& info = graph[slot];
    if (!storage.has(info.name)) continue;
    Eigen::MatrixXd& numbers = storage.at(info.name).numbers;
    visit(rows_of(info), MatrixMap(numbers.data(), numbers.rows(), numbers.cols()));
  }
}

}  // namespace mixwell
