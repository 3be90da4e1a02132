// Finds what the values of a kernel graph depend on.
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

/// Whether `holds` is true for at least one of these values.
template <class Holds>
bool any(const IdSet& values, const Holds& holds) {
  auto id = values.find_first();
  while (id != IdSet::npos && !holds(Value{static_cast<std::int32_t>(id)}))
    id = values.find_next(id);
  return id != IdSet::npos;
}

/// Whether a pure operation wrote the value, or the value is a cached evaluation. A cached
/// evaluation depends only on its law and its version, no matter which operation computed it.
bool is_pure(const KernelGraph& graph, Value value);

/// Whether the value is a version of a joined or trial variable that copies the numbers of its
/// slots' versions.
bool is_gathered(const KernelGraph& graph, Value value);

/// The values that a pure value is a function of, or that a gathered value copies. Does not include
/// the choice of a mixture's branch, because this choice only decides whether the operation runs.
std::vector<Value> sources(const KernelGraph& graph, Value value);

/// The backward search from all values at once, as bit sets: O((V + E) V / 64) to build.
class Cones {
 public:
  explicit Cones(const KernelGraph& graph);

  /// The values at which the search through pure operations ends: constants, noises, versions, and
  /// the outputs of a move, an accept or a refresh of this sweep. Includes gathered versions, and
  /// also the versions that they copy.
  const IdSet& leaves(Value of) const { return leaves_[index(of)]; }
  /// Versions that a value depends on through operations of any kind within the sweep.
  const IdSet& versions(Value of) const { return versions_[index(of)]; }
  bool depends(Value of, Value leaf) const { return leaves(of).test(index(leaf)); }
  /// Names along a shortest path through pure operations, from the leaf to the value. O(V + E).
  std::vector<std::string> path(Value leaf, Value of) const;

 private:
  const KernelGraph& graph_;
  std::vector<IdSet> leaves_;
  std::vector<IdSet> versions_;
};

}  // namespace mixwell
