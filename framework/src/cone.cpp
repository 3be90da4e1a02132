// What the values of a kernel graph depend on.
// SPDX-License-Identifier: Apache-2.0
#include "cone.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <deque>
#include <set>

namespace mixwell {
namespace {

using Digraph = boost::adjacency_list<boost::setS, boost::vecS, boost::directedS>;

const OperationInfo& operation(const KernelGraph& graph, std::int32_t id) {
  return graph.operations()[static_cast<std::size_t>(id)];
}

/// What a value is a function of. A cached evaluation is one of its law and its version, whoever
/// computed it.
std::vector<Value> sources(const KernelGraph& graph, Value v) {
  const ValueInfo& info = graph[v];
  if (info.evaluated_law) return {info.evaluated_law, info.evaluated_at};
  std::vector<Value> found;
  for (const Input& input : operation(graph, info.producer).inputs) {
    if (input.role != Role::weights) found.push_back(input.value);  // whether, not what
  }
  return found;
}

bool is_pure(const KernelGraph& graph, Value v) {
  if (graph[v].evaluated_law) return true;
  const std::int32_t producer = graph[v].producer;
  return graph[v].kind == ValueKind::derived && producer >= 0 &&
         operation(graph, producer).kind == OperationKind::pure;
}

std::vector<int> components(const Digraph& graph) {
  std::vector<int> component(boost::num_vertices(graph));
  if (!component.empty()) {
    boost::strong_components(graph, boost::make_iterator_property_map(
                                        component.begin(), boost::get(boost::vertex_index, graph)));
  }
  return component;
}

/// Versions that a value depends on through operations of every kind within the sweep.
std::set<std::int32_t> versions_behind(const KernelGraph& graph, Value of) {
  std::set<std::int32_t> seen{of.id};
  std::deque<Value> open{of};
  std::set<std::int32_t> versions;
  while (!open.empty()) {
    const Value v = open.front();
    open.pop_front();
    if (graph[v].kind == ValueKind::version) {
      versions.insert(v.id);
      continue;
    }
    if (graph[v].producer < 0) continue;
    for (const Value source : sources(graph, v)) {
      if (seen.insert(source.id).second) open.push_back(source);
    }
  }
  return versions;
}

std::vector<std::int32_t> proposal_moves(const KernelGraph& graph, const OperationInfo& accept) {
  std::vector<std::int32_t> moves;
  std::deque<Value> open;
  for (const Input& i : accept.inputs) {
    if (i.role == Role::proposed) open.push_back(i.value);
  }
  while (!open.empty()) {
    const std::int32_t producer = graph[open.front()].producer;
    const bool derived = graph[open.front()].kind == ValueKind::derived;
    open.pop_front();
    if (!derived || producer < 0 || std::count(moves.begin(), moves.end(), producer) != 0) continue;
    if (operation(graph, producer).kind != OperationKind::move) continue;
    moves.push_back(producer);
    for (const Input& i : operation(graph, producer).inputs) {
      if (i.role == Role::state) open.push_back(i.value);
    }
  }
  return moves;
}

}  // namespace

std::vector<Leaf> cone(const KernelGraph& graph, Value of) {
  std::vector<Leaf> leaves;
  std::set<std::int32_t> seen{of.id};
  std::deque<Leaf> open{{of, {graph[of].name}}};
  while (!open.empty()) {
    const Leaf at = open.front();
    open.pop_front();
    if (!is_pure(graph, at.value)) {
      leaves.push_back(at);
      continue;
    }
    for (const Value source : sources(graph, at.value)) {
      if (!seen.insert(source.id).second) continue;
      Leaf next{source, {graph[source].name}};
      next.path.insert(next.path.end(), at.path.begin(), at.path.end());
      open.push_back(std::move(next));
    }
  }
  return leaves;
}

std::vector<Transition> transitions(const KernelGraph& graph) {
  std::vector<Transition> found;
  for (std::size_t o = 0; o < graph.operations().size(); ++o) {
    const OperationInfo& info = graph.operations()[o];
    Transition t{static_cast<std::int32_t>(o), {}, {}};
    for (const Value v : info.outputs) {
      if (graph[v].kind == ValueKind::version) t.writes.push_back(graph[v].variable);
    }
    if (t.writes.empty()) continue;
    if (info.kind == OperationKind::accept) t.moves = proposal_moves(graph, info);
    found.push_back(std::move(t));
  }
  return found;
}

std::vector<int> influence_components(const KernelGraph& graph) {
  Digraph influence(graph.variables().size());
  for (const OperationInfo& info : graph.operations()) {
    for (const Value out : info.outputs) {
      if (graph[out].kind != ValueKind::version) continue;
      for (const Input& input : info.inputs) {
        for (const std::int32_t v : versions_behind(graph, input.value)) {
          boost::add_edge(static_cast<std::size_t>(graph[Value{v}].variable.id),
                          static_cast<std::size_t>(graph[out].variable.id), influence);
        }
      }
    }
  }
  return components(influence);
}

Staleness::Staleness(const KernelGraph& graph, const std::vector<Transition>& all)
    : graph_(graph), transitions_(all), transition_of_(graph.operations().size(), -1) {
  for (std::size_t t = 0; t < all.size(); ++t) {
    transition_of_[static_cast<std::size_t>(all[t].operation)] = static_cast<std::int32_t>(t);
  }
  Digraph precedence(all.size());
  std::vector<std::int32_t> replaced_by(graph.values().size(), -1);
  for (const ValueInfo& v : graph.values()) {
    if (v.kind == ValueKind::version && v.replaces) {
      replaced_by[static_cast<std::size_t>(v.replaces.id)] = v.producer;
    }
  }
  for (std::size_t t = 0; t < all.size(); ++t) {
    for (const Input& input : operation(graph, all[t].operation).inputs) {
      for (const std::int32_t v : versions_behind(graph, input.value)) {
        const std::int32_t writer = graph[Value{v}].producer;
        if (writer >= 0) {
          boost::add_edge(
              static_cast<std::size_t>(transition_of_[static_cast<std::size_t>(writer)]), t,
              precedence);
        }
        const std::int32_t next = replaced_by[static_cast<std::size_t>(v)];
        if (next >= 0 && transition_of_[static_cast<std::size_t>(next)] != static_cast<int>(t)) {
          boost::add_edge(t,
                          static_cast<std::size_t>(transition_of_[static_cast<std::size_t>(next)]),
                          precedence);
        }
      }
    }
  }
  component_ = components(precedence);
}

bool Staleness::is_stale(Value version, std::size_t transition) const {
  for (const ValueInfo& v : graph_.values()) {
    if (v.kind != ValueKind::version || v.replaces != version || v.producer < 0) continue;
    const auto writer =
        static_cast<std::size_t>(transition_of_[static_cast<std::size_t>(v.producer)]);
    return writer != transition && v.producer < transitions_[transition].operation &&
           component_[writer] == component_[transition];
  }
  return false;
}

}  // namespace mixwell
