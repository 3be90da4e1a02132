// Questions about the edges of a kernel graph that every part of a finite reading asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mixwell::worlds {

/// A graph has no finite reading; the reason is a clause for people.
class NoReading : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value whose numbers a view shares, or the value itself.
Value seen(const KernelGraph& graph, Value v);
/// The operation that writes a value, or null.
const OperationInfo* maker(const KernelGraph& graph, Value v);
/// The first input of a role, or none.
Value input_of(const OperationInfo& who, Role role);
/// A proposal that two versions change places.
bool is_exchange(const KernelGraph& graph, const OperationInfo& who);
/// The version, the proposal or the state of a trial is one of what it is a copy of: a slot, an
/// auxiliary, a joined variable.
Variable root(const KernelGraph& graph, Variable v);
/// Its root as slots, where it is a joined variable; else as it is.
std::vector<Variable> members(const KernelGraph& graph, Variable v);
/// Inputs of an operation that are read as `role`, in order.
std::vector<std::size_t> inputs_of(const OperationInfo& who, Role role);
/// Whether some operation reads the value as `role`.
bool is_read_as(const KernelGraph& graph, Value v, Role role);
/// Outputs of a move that belong to its states, in their order: versions, and what is proposed.
std::vector<std::size_t> moved_outputs(const KernelGraph& graph, const OperationInfo& who);
/// The variable whose version or proposal a value is, if it is one.
std::optional<Variable> origin(const KernelGraph& graph, Value v);
/// Whether the value is a law that some operation reads as one.
bool is_law(const KernelGraph& graph, Value v);
/// What a law was made from: the law it reads, or of which it is a view; none of others.
Value law_before(const KernelGraph& graph, Value law);
/// The constant law with a factor that a law was made from in the end, or none.
Value factor_behind(const KernelGraph& graph, Value law);
bool flips_momentum(const Traits& traits);
/// An auxiliary that Flips::momentum negates.
bool is_turned(const KernelGraph& graph, Variable v);
bool flips_noise(const Traits& traits);
/// A move that replaces what it moves, with no decision about it and no word that it keeps the law.
bool is_uncorrected(const KernelGraph& graph, const OperationInfo& who);
/// Whether a slot is moved in any other way than by small steps.
bool is_moved_otherwise(const KernelGraph& graph);
/// Slots whose versions are behind what is recorded of the posterior; all if nothing is.
std::vector<Variable> recorded_slots(const KernelGraph& graph);

}  // namespace mixwell::worlds
