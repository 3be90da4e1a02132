// The table of each operation of a graph in one finite world. The table satisfies the operation's
// declared traits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/reading.hpp"

namespace mixwell::worlds {

/// One possible outcome of an operation: a value for each output, and its probability.
struct TableOutcome {
  std::vector<int> written;
  Term term;
};
using TableOutcomes = std::vector<TableOutcome>;

/// A call of an operation with one value of every input. The value of a fresh noise is not read.
struct TableCall {
  const FiniteReading& reading;
  const FiniteLaws& laws;
  const OperationInfo& who;
  const EdgeRoles& edges;
  std::uint64_t seed;
  const std::vector<int>& in;

  const KernelGraph& graph() const { return reading.graph(); }
  int draws() const { return reading.sizes().draws; }
  Value input(std::size_t k) const { return who.inputs[k].value; }
  /// The weight of the law in input `k`, for the number that this input has.
  std::uint64_t weight(std::size_t k, const SlotPlaces& where) const {
    return laws.weight(input(k), in[k], where);
  }
  /// A seed that also depends on the values of these inputs.
  std::uint64_t with(std::uint64_t all, const std::vector<std::size_t>& inputs) const {
    for (const std::size_t k : inputs) all = mixed(all, at(in[k] + 1));
    return all;
  }
  /// A seed that depends on the operation's parameters and on its states from `first_state` on. For
  /// a corrected small step, the seed does not depend on the matrix.
  std::uint64_t fixed(std::size_t first_state, bool is_corrected = false) const;
};

/// The table of an operation for one call. docs/worlds.md describes each kind of operation. All
/// operations that share a body have the same table.
MIXWELL_INTERNAL TableOutcomes outcomes(const TableCall& call);
TableOutcomes outcomes_of_move(const TableCall& call);

}  // namespace mixwell::worlds
