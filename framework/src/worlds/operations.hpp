// What each operation of a graph does in one world: tables that honour its declared traits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "worlds/reading.hpp"

namespace mixwell::worlds {

/// One thing that an operation may do: a value for each output, and with which probability.
struct TableOutcome {
  std::vector<int> written;
  Term term;
};
using TableOutcomes = std::vector<TableOutcome>;

/// An operation at one value of every input; that of a fresh noise is not read.
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
  /// Of a law that is read, with its number.
  std::uint64_t weight(std::size_t k, const SlotPlaces& where) const {
    return laws.weight(input(k), in[k], where);
  }
  /// A seed with the values of these inputs.
  std::uint64_t with(std::uint64_t all, const std::vector<std::size_t>& inputs) const {
    for (const std::size_t k : inputs) all = mixed(all, at(in[k] + 1));
    return all;
  }
  /// A seed for what the operation does at fixed parameters, and at fixed states from one on; of a
  /// corrected small step without its matrix.
  std::uint64_t fixed(std::size_t first_state, bool is_corrected = false) const;
};

/// docs/worlds.md says what each kind of operation does. A body is one function, whoever shares it.
MIXWELL_INTERNAL TableOutcomes outcomes(const TableCall& call);
TableOutcomes outcomes_of_move(const TableCall& call);

}  // namespace mixwell::worlds
