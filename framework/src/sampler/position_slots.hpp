// The slots of a position, and which of its rows each of them holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/row_runs.hpp"
#include "sampler/schedule.hpp"

#include <mixwell/graph.hpp>

#include <string>

namespace mixwell {

/// Calls visit(rows, numbers) for every slot of the position that something reads.
template <class Visit>
void visit_slots(const KernelGraph& graph, const std::string& position, Storage& storage,
                 const Visit& visit) {
  for (const Variable slot : slots_of(graph, position)) {
    const VariableInfo& info = graph[slot];
    if (!storage.has(info.name)) continue;
    Eigen::MatrixXd& numbers = storage.at(info.name).numbers;
    visit(RowRuns(held_coordinates(info)),
          MatrixMap(numbers.data(), numbers.rows(), numbers.cols()));
  }
}

}  // namespace mixwell
