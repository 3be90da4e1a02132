// Queries on the edges of a kernel graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/graph/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace mixwell {

inline std::size_t index(Variable v) { return static_cast<std::size_t>(v.id); }
inline std::size_t index(Value v) { return static_cast<std::size_t>(v.id); }
inline std::size_t index(std::int32_t id) { return static_cast<std::size_t>(id); }

/// The first ids of a kind: 0, 1, ... (Clang 15 cannot read the views of GCC's library.)
template <class Id>
std::vector<Id> first_ids(std::size_t count) {
  std::vector<Id> ids(count);
  for (std::size_t k = 0; k < count; ++k) ids[k] = Id{static_cast<std::int32_t>(k)};
  return ids;
}
/// All variables, in the order in which they were added.
inline std::vector<Variable> all_variables(const KernelGraph& graph) {
  return first_ids<Variable>(graph.variables().size());
}
/// All values, in the order in which they were made, so sources come first.
inline std::vector<Value> all_values(const KernelGraph& graph) {
  return first_ids<Value>(graph.values().size());
}

template <class All, class One>
bool contains(const All& all, const One& one) {
  return std::ranges::find(all, one) != all.end();
}

inline bool is_version(const KernelGraph& graph, Value v) {
  return graph[v].kind == ValueKind::version;
}
/// Whether the value is a version of a variable of that kind.
inline bool is(const KernelGraph& graph, Value v, VariableKind kind) {
  return is_version(graph, v) && graph[graph[v].variable].kind == kind;
}
/// Whether the value is a version of a slot, or of a joined variable.
inline bool is_slot(const KernelGraph& graph, Value v) {
  return is(graph, v, VariableKind::slot) || is(graph, v, VariableKind::joined);
}

/// The value whose numbers a view shares, or the value itself.
MIXWELL_INTERNAL Value seen(const KernelGraph& graph, Value v);
/// The operation that writes a value, or null.
MIXWELL_INTERNAL const OperationInfo* maker(const KernelGraph& graph, Value v);
/// The index of a value among the outputs of its maker.
MIXWELL_INTERNAL std::size_t place_among_outputs(const KernelGraph& graph, Value v);
/// The first input of a role, or none.
MIXWELL_INTERNAL Value input_of(const OperationInfo& who, Role role);
/// The inputs of a role, in order.
MIXWELL_INTERNAL std::vector<Value> values_of(const OperationInfo& who, Role role);
/// Whether `holds` is true for at least one input of a role.
template <class Holds>
bool reads(const OperationInfo& who, Role role, const Holds& holds) {
  return std::ranges::any_of(who.inputs,
                             [&](const Input& i) { return i.role == role && holds(i.value); });
}
/// Whether an operation writes a version of the variable.
MIXWELL_INTERNAL bool writes(const KernelGraph& graph, const OperationInfo& who, Variable v);
/// The slot that a trial copies; for any other variable, the variable itself.
MIXWELL_INTERNAL Variable root(const KernelGraph& graph, Variable v);
/// The slots of a joined variable; for any other variable, its root.
MIXWELL_INTERNAL std::vector<Variable> members(const KernelGraph& graph, Variable v);
/// Whether a move proposes to exchange two versions.
MIXWELL_INTERNAL bool is_exchange(const KernelGraph& graph, const OperationInfo& who);
/// Whether a move replaces its state without a decision, and does not declare that it leaves the
/// law invariant.
MIXWELL_INTERNAL bool is_uncorrected(const KernelGraph& graph, const OperationInfo& who);
MIXWELL_INTERNAL bool flips_momentum(const Traits& traits);
MIXWELL_INTERNAL bool flips_noise(const Traits& traits);
/// Whether an operation is a map that negates the momenta at its end. A rejection negates them
/// again.
MIXWELL_INTERNAL bool negates_momenta(const OperationInfo& who);
/// Whether Flips::momentum negates the variable.
MIXWELL_INTERNAL bool is_turned(const KernelGraph& graph, Variable v);
MIXWELL_INTERNAL bool is_law_role(Role role);
/// Whether some operation reads the value as one of the roles.
MIXWELL_INTERNAL bool is_read_as(const KernelGraph& graph, Value v,
                                 std::initializer_list<Role> roles);
/// Indices, in order, of the outputs of a move that are versions or proposals of its states.
MIXWELL_INTERNAL std::vector<std::size_t> moved_outputs(const KernelGraph& graph,
                                                        const OperationInfo& who);
/// The variable of a value that is a version or a proposal; none for other values.
MIXWELL_INTERNAL std::optional<Variable> origin(const KernelGraph& graph, Value v);
/// Whether the value is a density, or a function that some operation reads as a law.
MIXWELL_INTERNAL bool is_law(const KernelGraph& graph, Value v);
/// The source of a law: the law that its maker reads, or the law that it is a view of. None for
/// laws without a source.
MIXWELL_INTERNAL Value law_before(const KernelGraph& graph, Value law);
/// The constant law with a factor from which a law was made in any number of steps, or none.
MIXWELL_INTERNAL Value factor_behind(const KernelGraph& graph, Value law);
/// The corresponding value or operation in the first of several equal descriptions of its kernel.
MIXWELL_INTERNAL Value first_described(const KernelGraph& graph, Value v);
MIXWELL_INTERNAL std::size_t first_described(const KernelGraph& graph, std::size_t operation);
/// Whether any operation moves a slot by anything other than small steps.
MIXWELL_INTERNAL bool is_moved_otherwise(const KernelGraph& graph);
/// All slots, in groups. Slots that share a factor, directly or through other slots, are in one
/// group.
MIXWELL_INTERNAL std::vector<std::vector<Variable>> joint_slots(const KernelGraph& graph);
/// Slots whose versions determine the recorded values of the posterior; all slots if nothing is
/// recorded.
MIXWELL_INTERNAL std::vector<Variable> recorded_slots(const KernelGraph& graph);

}  // namespace mixwell
