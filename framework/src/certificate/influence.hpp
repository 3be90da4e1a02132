// Which updates depend on which: transitions, their order, and feedback over sweeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/cone.hpp"

#include <mixwell/graph/graph.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// An operation that writes versions, with the moves between its state and its proposal. A copy
/// between slots and what joins them is no transition. Writing what joins slots is writing the
/// slots.
struct GraphTransition {
  std::int32_t operation = -1;
  std::vector<std::int32_t> moves;  ///< that made the proposal of an accept
  std::vector<Variable> writes;
  std::size_t decided_by = 0;  ///< stage of a proposal: the accept that decides on it; else itself
};

/// Versions of a trial from a proposal back to the copy of the slot with which its stages began;
/// empty for a proposal without stages.
std::vector<Value> staged_versions(const KernelGraph& graph, Value proposed);

/// Whether it fully redraws a variable in every column where an operation with the guard `where`
/// runs.
bool redraws(const OperationInfo& who, const Guard& where);

/// Auxiliaries that an operation starts from.
std::vector<Value> auxiliaries(const KernelGraph& graph, const OperationInfo& who);

/// In the order of the sweep; `frozen`: without those that learn.
std::vector<GraphTransition> transitions(const KernelGraph& graph, bool frozen = false);

/// Variable a influences b if an operation that writes b reads a, directly or through others, over
/// any number of sweeps. It also does if b is a register that takes an auxiliary beside which a was
/// moved, or if a is moved beside the auxiliary b, which others wrote. Variables that influence
/// each other form a component.
class Influence {
 public:
  Influence(const KernelGraph& graph, const Cones& cones);

  std::size_t component(Variable v) const { return index(component_[index(v)]); }
  bool mutual(Variable a, Variable b) const { return component(a) == component(b); }
  /// Names of the variables along one shortest chain of influence.
  std::vector<std::string> path(Variable from, Variable to) const;
  /// These variables, and what they influence without passing through `around`.
  IdSet reached(const std::vector<Variable>& from, const std::vector<Variable>& around) const;
  /// Whether fresh randomness reaches a variable, at any remove.
  bool is_random(Variable v) const { return random_.test(index(v)); }

 private:
  const KernelGraph& graph_;
  std::vector<IdSet> influences_;  ///< by variable: those it influences directly
  std::vector<int> component_;
  IdSet random_;
};

/// Whether some order of the transitions makes every read current. The stages of a proposal and the
/// accept that decides on it count as one transition.
class Staleness {
 public:
  Staleness(const KernelGraph& graph, const Cones& cones, const std::vector<GraphTransition>& all);
  /// `transition` reads a version that was replaced before, and a cycle of data edges and
  /// anti-dependences allows no order in which it is not.
  bool is_stale(Value version, std::size_t transition) const;
  /// The transition that an operation is.
  std::optional<std::size_t> transition_of(std::int32_t operation) const;
  /// The transition that a version comes from, through copies; none for a gathered version.
  std::optional<std::size_t> writer(Value version) const;
  /// It was replaced before the transition decides.
  bool is_replaced(Value version, std::size_t transition) const;

 private:
  const KernelGraph& graph_;
  const std::vector<GraphTransition>& transitions_;
  std::vector<int> component_;
  std::vector<std::optional<std::size_t>> transition_of_;  ///< by operation
};

}  // namespace mixwell
