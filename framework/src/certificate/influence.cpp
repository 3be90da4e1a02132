// Transitions, their order, and the influence of variables on each other from sweep to sweep.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/influence.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <deque>
#include <map>

namespace mixwell {
namespace {

/// Strong components of the graph whose edges leave k towards edges[k].
std::vector<int> components(const std::vector<IdSet>& edges) {
  using Digraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Digraph graph(edges.size());
  for (std::size_t from = 0; from < edges.size(); ++from) {
    each(edges[from], [&](std::int32_t to) { boost::add_edge(from, index(to), graph); });
  }
  std::vector<int> component(edges.size());
  if (!component.empty()) {
    boost::strong_components(graph, boost::make_iterator_property_map(
                                        component.begin(), boost::get(boost::vertex_index, graph)));
  }
  return component;
}

std::vector<std::int32_t> proposal_moves(const KernelGraph& graph, const OperationInfo& accept) {
  std::vector<std::int32_t> moves;
  std::vector<Value> open = values_of(accept, Role::proposed);
  for (std::size_t k = 0; k < open.size(); ++k) {
    const ValueInfo& at = graph[open[k]];
    const OperationInfo* const by = maker(graph, open[k]);
    const bool is_moved = at.kind == ValueKind::derived && by != nullptr &&
                          by->kind == OperationKind::move && !contains(moves, at.producer);
    if (!is_moved) continue;
    moves.push_back(at.producer);
    for (const Value state : values_of(*by, Role::state)) open.push_back(state);
  }
  return moves;
}

/// Versions that an operation depends on within the sweep, directly or through other values. In
/// columns where a guard does not let the operation run, its outputs stay unchanged.
IdSet read_by(const KernelGraph& graph, const Cones& cones, const OperationInfo& info) {
  IdSet read(graph.values().size());
  for (const Input& input : info.inputs) read |= cones.versions(input.value);
  for (const Value out : info.outputs) {
    const Value before = graph[out].replaces;
    if (info.guard && before) read |= cones.versions(before);
  }
  return read;
}

/// Marks the stages of every proposal that an accept decides on.
void find_stages(const KernelGraph& graph, std::vector<GraphTransition>& all) {
  std::map<std::int32_t, std::size_t> by_operation;
  for (std::size_t t = 0; t < all.size(); ++t) {
    by_operation[all[t].operation] = all[t].decided_by = t;
  }
  for (std::size_t t = 0; t < all.size(); ++t) {
    for (const Value proposed :
         values_of(graph.operations()[index(all[t].operation)], Role::proposed)) {
      for (const Value at : staged_versions(graph, proposed)) {
        const auto stage = by_operation.find(graph[at].producer);
        if (stage != by_operation.end()) all[stage->second].decided_by = t;
      }
    }
  }
}

/// Variables that an operation writes; for a joint variable, its slots.
std::vector<Variable> written_by(const KernelGraph& graph, const OperationInfo& who) {
  std::vector<Variable> found;
  for (const Value out : who.outputs) {
    if (!is_version(graph, out)) continue;
    const VariableInfo& info = graph[graph[out].variable];
    if (info.kind != VariableKind::joined)
      found.push_back(graph[out].variable);
    else
      found.insert(found.end(), info.parts.begin(), info.parts.end());
  }
  return found;
}

/// Versions of auxiliaries that an operation starts from and leaves unchanged.
std::vector<Value> kept_beside(const KernelGraph& graph, const OperationInfo& who) {
  const auto written = written_by(graph, who);
  std::vector<Value> found = auxiliaries(graph, who);
  std::erase_if(found, [&](Value v) { return contains(written, graph[v].variable); });
  return found;
}

/// Whether anything except a full redraw wrote a version, in a column where an operation with the
/// guard `where` runs. For a version that is carried over from the last sweep, the writers of that
/// sweep count.
bool is_written_in_part(const KernelGraph& graph, Value version, const Guard& where) {
  const Value at = graph[version].producer < 0 ? graph[graph[version].variable].current : version;
  const OperationInfo* const by = maker(graph, at);
  return by != nullptr && !redraws(*by, where);
}

/// The variables that move with one version of an auxiliary that stays unchanged.
class MovedBeside {
 public:
  explicit MovedBeside(const KernelGraph& graph) : graph_(graph), beside_(graph.values().size()) {
    for (const OperationInfo& who : graph.operations()) {
      const auto written = written_by(graph, who);
      for (const Value kept : kept_beside(graph, who)) {
        auto& beside = beside_[index(kept)];
        beside.insert(beside.end(), written.begin(), written.end());
      }
    }
  }

  /// The variables that move beside the auxiliary, from this version to a full redraw, even beyond
  /// the end of the sweep.
  std::vector<Variable> with(Value version) const {
    std::vector<Variable> found;
    if (!is(graph_, version, VariableKind::auxiliary)) return found;
    Value at = version;
    for (bool is_next_sweep = false; at; at = after(at, is_next_sweep)) {
      const auto& more = beside_[index(at)];
      found.insert(found.end(), more.begin(), more.end());
    }
    return found;
  }

 private:
  /// The next version, unless it is a full redraw.
  Value after(Value version, bool& is_next_sweep) const {
    Value next = graph_[version].replaced_by;
    if (!next) {
      if (is_next_sweep) return {};
      is_next_sweep = true;
      return graph_[graph_[version].variable].carried;
    }
    return redraws(*maker(graph_, next), {}) ? Value{} : next;
  }

  const KernelGraph& graph_;
  std::vector<std::vector<Variable>> beside_;  ///< by value
};

/// Whether a value depends on a noise of this sweep.
bool draws(const KernelGraph& graph, const OperationInfo& info) {
  std::vector<const OperationInfo*> open{&info};
  IdSet seen(graph.operations().size());
  while (!open.empty()) {
    const OperationInfo* at = open.back();
    open.pop_back();
    for (const Input& input : at->inputs) {
      const ValueInfo& v = graph[input.value];
      if (v.kind == ValueKind::noise) return true;
      if (v.kind != ValueKind::derived || v.producer < 0) continue;
      if (!seen.test_set(index(v.producer))) open.push_back(maker(graph, input.value));
    }
  }
  return false;
}

}  // namespace

bool redraws(const OperationInfo& who, const Guard& where) {
  if (who.kind != OperationKind::refresh || !who.traits.full) return false;
  return !who.guard || (who.guard.choice == where.choice && who.guard.branch == where.branch);
}

std::vector<Value> auxiliaries(const KernelGraph& graph, const OperationInfo& who) {
  std::vector<Value> found = values_of(who, Role::state);
  std::erase_if(found, [&](Value v) { return !is(graph, v, VariableKind::auxiliary); });
  return found;
}

std::vector<Value> staged_versions(const KernelGraph& graph, Value proposed) {
  if (!is_version(graph, proposed)) return {};
  std::vector<Value> found;
  for (Value at = proposed; at; at = graph[at].replaces) {
    found.push_back(at);
    if (is_gathered(graph, at)) return found;
    if (graph[graph[at].variable].kind != VariableKind::trial) return {};
  }
  return {};
}

std::vector<GraphTransition> transitions(const KernelGraph& graph, bool frozen) {
  std::vector<GraphTransition> found;
  for (std::size_t o = 0; o < graph.operations().size(); ++o) {
    const OperationInfo& info = graph.operations()[o];
    if (info.kind == OperationKind::regroup) continue;
    if (frozen && info.kind == OperationKind::observe) continue;
    GraphTransition t{static_cast<std::int32_t>(o), {}, written_by(graph, info)};
    if (t.writes.empty()) continue;
    if (info.kind == OperationKind::accept) t.moves = proposal_moves(graph, info);
    found.push_back(std::move(t));
  }
  find_stages(graph, found);
  return found;
}

Influence::Influence(const KernelGraph& graph, const Cones& cones)
    : graph_(graph),
      influences_(graph.variables().size(), IdSet(graph.variables().size())),
      random_(graph.variables().size()) {
  const MovedBeside beside(graph);
  for (const OperationInfo& info : graph.operations()) {
    IdSet read;
    // A variable that is moved beside an auxiliary depends on the updates that wrote the auxiliary.
    std::vector<Value> shared = kept_beside(graph, info);
    std::erase_if(shared, [&](Value v) { return !is_written_in_part(graph, v, info.guard); });
    for (const Value out : info.outputs) {
      if (!is_version(graph, out)) continue;
      for (const Value v : shared)
        influences_[index(graph[out].variable)].set(index(graph[v].variable));
      if (read.empty()) read = read_by(graph, cones, info);
      const std::size_t written = index(graph[out].variable);
      each(read, [&](std::int32_t v) {
        influences_[index(graph_[Value{v}].variable)].set(written);
        if (info.kind != OperationKind::observe) return;
        for (const Variable with : beside.with(Value{v})) influences_[index(with)].set(written);
      });
      if (draws(graph, info)) random_.set(written);
    }
  }
  component_ = components(influences_);
  for (IdSet before; before != random_;) {
    before = random_;
    each(before, [&](std::int32_t v) { random_ |= influences_[index(v)]; });
  }
}

IdSet Influence::reached(const std::vector<Variable>& from,
                         const std::vector<Variable>& around) const {
  IdSet passed(influences_.size());
  for (const Variable v : around) passed.set(index(v));
  IdSet found(influences_.size());
  for (const Variable v : from) found.set(index(v));
  found -= passed;
  for (IdSet fresh = found; fresh.any();) {
    IdSet next(influences_.size());
    each(fresh, [&](std::int32_t v) { next |= influences_[index(v)]; });
    fresh = next - found - passed;
    found |= fresh;
  }
  return found;
}

std::vector<std::string> Influence::path(Variable from, Variable to) const {
  std::map<std::int32_t, std::int32_t> before;
  std::deque<std::int32_t> open{from.id};
  while (!open.empty() && before.count(to.id) == 0) {
    const std::int32_t at = open.front();
    open.pop_front();
    each(influences_[index(at)], [&](std::int32_t next) {
      if (before.emplace(next, at).second) open.push_back(next);
    });
  }
  std::vector<std::string> names;
  if (before.count(to.id) == 0) return names;
  std::int32_t at = to.id;
  do {
    names.push_back(graph_[Variable{at}].name);
    at = before.at(at);
  } while (at != from.id);
  names.push_back(graph_[from].name);
  std::reverse(names.begin(), names.end());
  return names;
}

Staleness::Staleness(const KernelGraph& graph, const Cones& cones,
                     const std::vector<GraphTransition>& all)
    : graph_(graph), transitions_(all), transition_of_(graph.operations().size()) {
  for (std::size_t t = 0; t < all.size(); ++t) {
    transition_of_[index(all[t].operation)] = t;
  }
  std::vector<IdSet> before(all.size(), IdSet(all.size()));
  for (std::size_t one = 0; one < all.size(); ++one) {
    const std::size_t t = all[one].decided_by;
    each(read_by(graph, cones, graph.operations()[index(all[one].operation)]), [&](std::int32_t v) {
      if (const auto by = writer(Value{v})) before[*by].set(t);
      const Value next = graph_[Value{v}].replaced_by;
      // A trial is not a state, so reading the start of its stages is not a stale read.
      if (!next || graph_[graph_[Value{v}].variable].kind == VariableKind::trial) return;
      if (const auto by = writer(next); by && *by != t) before[t].set(*by);
    });
  }
  component_ = components(before);
}

std::optional<std::size_t> Staleness::transition_of(std::int32_t operation) const {
  if (operation < 0) return std::nullopt;
  return transition_of_[index(operation)];
}

std::optional<std::size_t> Staleness::writer(Value version) const {
  const OperationInfo* const by = maker(graph_, version);
  if (by == nullptr || is_gathered(graph_, version)) return std::nullopt;
  if (by->kind == OperationKind::regroup) return writer(by->inputs.front().value);
  const auto found = transition_of(graph_[version].producer);
  if (!found) return std::nullopt;
  return transitions_[*found].decided_by;
}

bool Staleness::is_replaced(Value version, std::size_t transition) const {
  const Value next = graph_[version].replaced_by;
  const auto by = next ? writer(next) : std::nullopt;
  return by && *by < transitions_[transition].decided_by;
}

bool Staleness::is_stale(Value version, std::size_t transition) const {
  if (!is_replaced(version, transition)) return false;
  const auto by = writer(graph_[version].replaced_by);
  return component_[*by] == component_[transitions_[transition].decided_by];
}

}  // namespace mixwell
