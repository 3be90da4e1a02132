// Which updates depend on which: transitions, their order, and feedback over sweeps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/cone.hpp"

#include <mixwell/graph.hpp>

#include <optional>
#include <string>
#include <vector>

namespace mixwell {

/// An operation that writes versions, with the moves between its state and its proposal. Copies
/// between slots and what joins them are none; who writes what joins slots writes these slots.
struct GraphTransition {
  std::int32_t operation = -1;      ///< that writes
  std::vector<std::int32_t> moves;  ///< accept: that made the proposal
  std::vector<Variable> writes;
  std::size_t decided_by = 0;  ///< stage of a proposal: the accept that decides on it; else itself
};

/// Versions of a trial from a proposal back to the copy of the slot with which its stages began;
/// none of another proposal.
std::vector<Value> staged_versions(const KernelGraph& graph, Value proposed);

/// In the order of the sweep; `frozen`: without those that learn.
std::vector<GraphTransition> transitions(const KernelGraph& graph, bool frozen = false);

/// a influences b when an operation that writes b reads a, at any remove and over any number of
/// sweeps, or when it is a register and takes an auxiliary that a moves with and leaves as it was,
/// or when b is an auxiliary that others wrote and that a moves with so;
/// variables that influence each other form a component.
class Influence {
 public:
  Influence(const KernelGraph& graph, const Cones& cones);

  int component(Variable v) const { return component_[static_cast<std::size_t>(v.id)]; }
  bool mutual(Variable a, Variable b) const { return component(a) == component(b); }
  /// Names of the variables along one shortest chain of influence.
  std::vector<std::string> path(Variable from, Variable to) const;
  /// What one of these variables influences by a way through none of `around`; with themselves.
  IdSet reached(const std::vector<Variable>& from, const std::vector<Variable>& around) const;
  /// Whether fresh randomness reaches a variable, at any remove.
  bool is_random(Variable v) const { return random_.test(static_cast<std::size_t>(v.id)); }

 private:
  const KernelGraph& graph_;
  std::vector<IdSet> influences_;  ///< by variable: those it influences directly
  std::vector<int> component_;
  IdSet random_;
};

/// Whether an order of the transitions exists in which every read is of the current value. The
/// stages of a proposal and the accept that decides on it are one.
class Staleness {
 public:
  Staleness(const KernelGraph& graph, const Cones& cones, const std::vector<GraphTransition>& all);
  /// For a version read by `transition`: it was replaced before, in a cycle of data edges and
  /// anti-dependences.
  bool is_stale(Value version, std::size_t transition) const;
  /// The transition that an operation is.
  std::optional<std::size_t> transition_of(std::int32_t operation) const;
  /// The transition that a version comes from, through copies; nothing for a gathered one.
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
