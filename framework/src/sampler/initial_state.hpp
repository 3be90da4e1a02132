// Visits the stored slots of a position, and sets their starting values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/row_runs.hpp"
#include "sampler/storage.hpp"

#include <mixwell/graph/graph.hpp>
#include <mixwell/lab/run_settings.hpp>
#include <mixwell/model.hpp>

#include <string>

namespace mixwell {

/// Whether anything reads a slot of the position.
bool is_read(const KernelGraph& graph, const std::string& position, const Storage& storage);

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

/// Sets every position of the graph as `settings.init` says. One slot or several may hold a
/// position. Then evaluates every constant factor of a single position. Throws InputError with the
/// replicate, parameter and quantity if U or grad U is not finite. Returns the number of gradients
/// evaluated. Draws are keyed by `sweep`, so another start after some sweeps uses new random
/// numbers.
double set_initial_state(const KernelGraph& graph, const Model& model, const RunSettings& settings,
                         std::uint64_t sweep, Storage& storage);

}  // namespace mixwell
