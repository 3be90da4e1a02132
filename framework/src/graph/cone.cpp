// Finds what the values of a kernel graph depend on.
// SPDX-License-Identifier: Apache-2.0
#include "graph/cone.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace mixwell {
std::vector<Value> sources(const KernelGraph& graph, Value v) {
  const ValueInfo& info = graph[v];
  if (info.evaluated_law) return {info.evaluated_law, info.evaluated_at};
  std::vector<Value> found;
  for (const Input& input : maker(graph, v)->inputs) {
    if (input.role != Role::weights) found.push_back(input.value);
  }
  return found;
}

bool is_pure(const KernelGraph& graph, Value v) {
  if (graph[v].evaluated_law) return true;
  const OperationInfo* const by = maker(graph, v);
  return graph[v].kind == ValueKind::derived && by != nullptr && by->kind == OperationKind::pure;
}

bool is_gathered(const KernelGraph& graph, Value v) {
  const OperationInfo* const by = maker(graph, v);
  return by != nullptr && by->kind == OperationKind::regroup &&
         (is(graph, v, VariableKind::joined) || is(graph, v, VariableKind::trial));
}

Cones::Cones(const KernelGraph& graph) : graph_(graph) {
  const std::size_t count = graph.values().size();
  leaves_.assign(count, IdSet(count));
  versions_.assign(count, IdSet(count));
  for (const Value v : all_values(graph)) {
    const std::size_t k = index(v);
    const bool pure = is_pure(graph, v);
    const bool version = is_version(graph, v);
    if (!pure) leaves_[k].set(k);
    if (version) versions_[k].set(k);
    const bool gathered = is_gathered(graph, v);
    if ((version && !gathered) || graph[v].producer < 0) continue;
    for (const Value source : sources(graph, v)) {
      if (pure || gathered) leaves_[k] |= leaves_[index(source)];
      versions_[k] |= versions_[index(source)];
    }
  }
}

std::vector<std::string> Cones::path(Value leaf, Value of) const {
  std::map<std::int32_t, Value> towards;
  std::deque<Value> open{of};
  towards.emplace(of.id, Value{});
  while (!open.empty() && open.front() != leaf) {
    const Value at = open.front();
    open.pop_front();
    if (!is_pure(graph_, at) && !is_gathered(graph_, at)) continue;
    for (const Value source : sources(graph_, at)) {
      if (depends(source, leaf) && towards.emplace(source.id, at).second) open.push_back(source);
    }
  }
  std::vector<std::string> names;
  if (open.empty()) return names;
  for (Value v = leaf; v; v = towards.at(v.id)) names.push_back(graph_[v].name);
  return names;
}

}  // namespace mixwell
