// What the values of a kernel graph depend on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/edges.hpp"

#include <mixwell/graph/graph.hpp>

#include <boost/dynamic_bitset.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mixwell {

/// A set of values or of variables, by their ids.
using IdSet = boost::dynamic_bitset<std::uint64_t>;

/// Calls visit(id) for every member.
template <class Visit>
void each(const IdSet& set, const Visit& visit) {
  for (auto id = set.find_first(); id != IdSet::npos; id = set.find_next(id)) {
    visit(static_cast<std::int32_t>(id));
  }
}

/// Whether `holds` is true of one of these values.
template <class Holds>
bool any(const IdSet& values, const Holds& holds) {
  auto id = values.find_first();
  while (id != IdSet::npos && !holds(Value{static_cast<std::int32_t>(id)}))
    id = values.find_next(id);
  return id != IdSet::npos;
}

/// Values written by pure operations, and cached evaluations, which are functions of their law and
/// their version, whoever computed them.
bool is_pure(const KernelGraph& graph, Value value);

/// A version of what joins several slots, or of a trial, with the numbers of their versions: a copy
/// of them.
bool is_gathered(const KernelGraph& graph, Value value);

/// What a pure value is a function of, or a gathered one a copy. The choice of a mixture's branch
/// says whether, not what.
std::vector<Value> sources(const KernelGraph& graph, Value value);

/// The backward search from every value at once, as bit sets: O((V + E) V / 64) to build.
class Cones {
 public:
  explicit Cones(const KernelGraph& graph);

  /// Where the search through pure operations ends: constants, noises, versions, and what a move,
  /// an accept or a refresh made in this sweep. A gathered version counts, and so do those that it
  /// copies.
  const IdSet& leaves(Value of) const { return leaves_[index(of)]; }
  /// Versions that a value depends on through operations of every kind within the sweep.
  const IdSet& versions(Value of) const { return versions_[index(of)]; }
  bool depends(Value of, Value leaf) const { return leaves(of).test(index(leaf)); }
  /// Names along one shortest way through pure operations, from the leaf to the value. O(V + E).
  std::vector<std::string> path(Value leaf, Value of) const;

 private:
  const KernelGraph& graph_;
  std::vector<IdSet> leaves_;
  std::vector<IdSet> versions_;
};

}  // namespace mixwell
