// Transitions, their order, and the influence of variables on each other from sweep to sweep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/cone.hpp"

#include <mixwell/graph/graph.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// An operation that writes versions, together with the moves that lead from its state to its
/// proposal. Copies between slots and joint variables are not transitions. Writing a joint variable
/// counts as writing its slots.
struct GraphTransition {
  std::int32_t operation = -1;
  std::vector<std::int32_t> moves;  ///< the moves that made the proposal of an accept
  std::vector<Variable> writes;
  std::size_t decided_by = 0;  ///< for a stage of a proposal, the accept that decides on the
                               ///< proposal; otherwise the transition itself
};

/// Versions of a trial, from a proposal back to the copy of the slot with which the stages began.
/// Empty for a proposal without stages.
std::vector<Value> staged_versions(const KernelGraph& graph, Value proposed);

/// Whether an operation fully redraws a variable in every column where operations with the guard
/// `where` run.
bool redraws(const OperationInfo& who, const Guard& where);

/// Auxiliaries that an operation starts from.
std::vector<Value> auxiliaries(const KernelGraph& graph, const OperationInfo& who);

/// The transitions of a graph, in the order of the sweep. `frozen`: leave out transitions that
/// learn.
std::vector<GraphTransition> transitions(const KernelGraph& graph, bool frozen = false);

/// A variable a influences a variable b if an operation that writes b reads a, directly or through
/// other variables, over any number of sweeps. There are two more cases: b is a history that reads
/// an auxiliary beside which a was moved, or b is an auxiliary that other updates wrote and beside
/// which a is moved. Variables that influence each other form a component.
class Influence {
 public:
  Influence(const KernelGraph& graph, const Cones& cones);

  std::size_t component(Variable v) const { return index(component_[index(v)]); }
  bool mutual(Variable a, Variable b) const { return component(a) == component(b); }
  /// Names of the variables on a shortest chain of influence.
  std::vector<std::string> path(Variable from, Variable to) const;
  /// The variables in `from`, and all variables that they influence without passing through
  /// `around`.
  IdSet reached(const std::vector<Variable>& from, const std::vector<Variable>& around) const;
  /// Whether fresh randomness reaches a variable, directly or through others.
  bool is_random(Variable v) const { return random_.test(index(v)); }

 private:
  const KernelGraph& graph_;
  std::vector<IdSet>
      influences_;  ///< by variable: the variables that the variable influences directly
  std::vector<int> component_;
  IdSet random_;
};

/// Whether some order of the transitions makes every read current. The stages of a proposal and the
/// accept that decides on it count as one transition.
class Staleness {
 public:
  Staleness(const KernelGraph& graph, const Cones& cones, const std::vector<GraphTransition>& all);
  /// Whether a transition reads an already replaced version that is current in no order of the
  /// transitions, because of a cycle of data edges and anti-dependences.
  bool is_stale(Value version, std::size_t transition) const;
  /// The transition that this operation writes, if there is one.
  std::optional<std::size_t> transition_of(std::int32_t operation) const;
  /// The transition that a version comes from, through copies. None for a gathered version.
  std::optional<std::size_t> writer(Value version) const;
  /// Whether the version was replaced before the transition decides.
  bool is_replaced(Value version, std::size_t transition) const;

 private:
  const KernelGraph& graph_;
  const std::vector<GraphTransition>& transitions_;
  std::vector<int> component_;
  std::vector<std::optional<std::size_t>> transition_of_;  ///< by operation
};

}  // namespace mixwell
