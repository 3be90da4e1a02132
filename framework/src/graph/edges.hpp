// Questions about the edges of a kernel graph that several of its readers ask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/graph.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <vector>

namespace mixwell {

/// The value whose numbers a view shares, or the value itself.
MIXWELL_INTERNAL Value seen(const KernelGraph& graph, Value v);
/// The operation that writes a value, or null.
MIXWELL_INTERNAL const OperationInfo* maker(const KernelGraph& graph, Value v);
/// The first input of a role, or none.
MIXWELL_INTERNAL Value input_of(const OperationInfo& who, Role role);
/// Positions of the inputs that are read as `role`, in order.
MIXWELL_INTERNAL std::vector<std::size_t> inputs_of(const OperationInfo& who, Role role);
/// The slot behind a trial of it; any other variable is its own root.
MIXWELL_INTERNAL Variable root(const KernelGraph& graph, Variable v);
/// The slots of a joined variable; any other root by itself.
MIXWELL_INTERNAL std::vector<Variable> members(const KernelGraph& graph, Variable v);
/// Whether a move proposes that two versions change places.
MIXWELL_INTERNAL bool is_exchange(const KernelGraph& graph, const OperationInfo& who);
/// Whether a move replaces what it moves without a decision, and does not declare that it keeps
/// the law.
MIXWELL_INTERNAL bool is_uncorrected(const KernelGraph& graph, const OperationInfo& who);
MIXWELL_INTERNAL bool flips_momentum(const Traits& traits);
MIXWELL_INTERNAL bool flips_noise(const Traits& traits);
/// Whether an operation is a map that ends with negated momenta, which a rejection turns back.
MIXWELL_INTERNAL bool negates_momenta(const OperationInfo& who);
/// Whether Flips::momentum negates the variable.
MIXWELL_INTERNAL bool is_turned(const KernelGraph& graph, Variable v);
MIXWELL_INTERNAL bool is_law_role(Role role);
/// Whether some operation reads the value as one of the roles.
MIXWELL_INTERNAL bool is_read_as(const KernelGraph& graph, Value v,
                                 std::initializer_list<Role> roles);
/// Outputs of a move that belong to its states, in their order: versions, and what is proposed.
MIXWELL_INTERNAL std::vector<std::size_t> moved_outputs(const KernelGraph& graph,
                                                        const OperationInfo& who);
/// The variable whose version or proposal a value is, if it is one.
MIXWELL_INTERNAL std::optional<Variable> origin(const KernelGraph& graph, Value v);
/// Whether the value is a density, or a function that some operation reads as a law.
MIXWELL_INTERNAL bool is_law(const KernelGraph& graph, Value v);
/// The law that the operation that makes a law reads, or whose view it is; none of others.
MIXWELL_INTERNAL Value law_before(const KernelGraph& graph, Value law);
/// The constant law with a factor that a law was made from in the end, or none.
MIXWELL_INTERNAL Value factor_behind(const KernelGraph& graph, Value law);
/// The same value, or operation, of the first description of its kernel that is alike.
MIXWELL_INTERNAL Value first_described(const KernelGraph& graph, Value v);
MIXWELL_INTERNAL std::size_t first_described(const KernelGraph& graph, std::size_t operation);
/// Whether a slot is moved in any other way than by small steps.
MIXWELL_INTERNAL bool is_moved_otherwise(const KernelGraph& graph);
/// Slots whose versions are behind what is recorded of the posterior; all if nothing is.
MIXWELL_INTERNAL std::vector<Variable> recorded_slots(const KernelGraph& graph);

}  // namespace mixwell
