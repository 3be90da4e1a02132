// What the values of a kernel graph depend on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/graph.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// A value at which the backward search through pure operations ends: a constant, a noise, a
/// version, or something a move, an accept or a refresh made in this sweep.
struct Leaf {
  Value value;
  /// Names from the leaf to the value whose cone it is.
  std::vector<std::string> path;
};

/// All leaves of a value, each with one shortest path. O(V + E).
std::vector<Leaf> cone(const KernelGraph& graph, Value of);

/// Operations that write versions, with the moves between their state and their proposal.
struct Transition {
  std::int32_t operation = -1;      ///< that writes
  std::vector<std::int32_t> moves;  ///< accept: that made the proposal
  std::vector<Variable> writes;
};

std::vector<Transition> transitions(const KernelGraph& graph);

/// Components of mutual influence: `component[v]` of every variable; a influences b when something
/// that writes b reads a, at any remove.
std::vector<int> influence_components(const KernelGraph& graph);

/// Whether a reads-before-writes order of the transitions exists: for a version read by
/// `transition`, true if it was replaced before, in a cycle of data and anti-dependence edges.
class Staleness {
 public:
  Staleness(const KernelGraph& graph, const std::vector<Transition>& transitions);
  bool is_stale(Value version, std::size_t transition) const;

 private:
  const KernelGraph& graph_;
  const std::vector<Transition>& transitions_;
  std::vector<int> component_;
  std::vector<std::int32_t> transition_of_;  ///< by operation
};

}  // namespace mixwell
