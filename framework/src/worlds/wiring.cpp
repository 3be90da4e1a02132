// Questions about the edges of a kernel graph.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/wiring.hpp"

#include <algorithm>
#include <set>

namespace mixwell::worlds {

Value seen(const KernelGraph& graph, Value v) {
  while (graph[v].storage) v = graph[v].storage;
  return v;
}

const OperationInfo* maker(const KernelGraph& graph, Value v) {
  const std::int32_t by = graph[v].producer;
  return by < 0 ? nullptr : &graph.operations()[static_cast<std::size_t>(by)];
}

Value input_of(const OperationInfo& who, Role role) {
  const auto found = std::find_if(who.inputs.begin(), who.inputs.end(),
                                  [&](const Input& i) { return i.role == role; });
  return found == who.inputs.end() ? Value{} : found->value;
}

bool is_exchange(const KernelGraph& graph, const OperationInfo& who) {
  return who.kind == OperationKind::move && graph[who.outputs.front()].storage;
}

Variable root(const KernelGraph& graph, Variable v) {
  while (graph[v].kind == VariableKind::trial) v = graph[v].parts.front();
  return v;
}

std::vector<Variable> members(const KernelGraph& graph, Variable v) {
  const Variable of = root(graph, v);
  if (graph[of].kind != VariableKind::joined) return {of};
  return graph[of].parts;
}

std::vector<std::size_t> inputs_of(const OperationInfo& who, Role role) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < who.inputs.size(); ++k) {
    if (who.inputs[k].role == role) all.push_back(k);
  }
  return all;
}

bool is_read_as(const KernelGraph& graph, Value v, Role role) {
  return std::any_of(
      graph.operations().begin(), graph.operations().end(), [&](const OperationInfo& o) {
        return std::any_of(o.inputs.begin(), o.inputs.end(),
                           [&](const Input& i) { return i.value == v && i.role == role; });
      });
}

namespace {

/// Read as a candidate or a state by an operation that is no evaluation.
bool is_candidate(const KernelGraph& graph, Value v) {
  if (graph[v].kind == ValueKind::version) return true;
  if (graph[v].evaluated_law) return false;
  return std::any_of(graph.operations().begin(), graph.operations().end(),
                     [&](const OperationInfo& o) {
                       if (o.kind == OperationKind::pure) return false;
                       return std::any_of(o.inputs.begin(), o.inputs.end(), [&](const Input& i) {
                         return i.value == v && (i.role == Role::proposed || i.role == Role::state);
                       });
                     });
}

}  // namespace

std::vector<std::size_t> moved_outputs(const KernelGraph& graph, const OperationInfo& who) {
  const std::size_t states = inputs_of(who, Role::state).size();
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < who.outputs.size() && all.size() < states; ++k) {
    if (is_candidate(graph, who.outputs[k])) all.push_back(k);
  }
  return all;
}

std::optional<Variable> origin(const KernelGraph& graph, Value v) {
  if (graph[v].kind == ValueKind::version) return graph[v].variable;
  if (graph[v].storage) return origin(graph, graph[v].storage);
  const OperationInfo* const by = maker(graph, v);
  if (by == nullptr || by->kind != OperationKind::move) return std::nullopt;
  const auto states = inputs_of(*by, Role::state);
  const auto moved = moved_outputs(graph, *by);
  for (std::size_t k = 0; k < moved.size(); ++k) {
    if (by->outputs[moved[k]] == v) return origin(graph, by->inputs[states[k]].value);
  }
  return std::nullopt;
}

bool is_law(const KernelGraph& graph, Value v) {
  if (dynamic_cast<const Potential*>(graph[v].function.get()) != nullptr) return true;
  return graph[v].function &&
         (is_read_as(graph, v, Role::law) || is_read_as(graph, v, Role::law_at_proposal) ||
          is_read_as(graph, v, Role::stage_law));
}

Value law_before(const KernelGraph& graph, Value law) {
  const OperationInfo* const by = maker(graph, law);
  if (by == nullptr || by->kind != OperationKind::pure) return {};
  if (const Value before = input_of(*by, Role::law)) return before;
  const Value behind = graph[law].storage;
  return behind && is_law(graph, behind) ? behind : Value{};
}

Value factor_behind(const KernelGraph& graph, Value law) {
  const auto& all = graph.factors();
  while (law && std::none_of(all.begin(), all.end(), [&](const Factor& f) { return f.law == law; }))
    law = law_before(graph, law);
  return law;
}

bool flips_momentum(const Traits& traits) {
  return traits.flips == Flips::momentum || traits.flips == Flips::momentum_and_noise;
}

bool is_turned(const KernelGraph& graph, Variable v) {
  return graph[v].kind == VariableKind::auxiliary && graph[v].traits.turns;
}

bool flips_noise(const Traits& traits) {
  return traits.flips == Flips::noise || traits.flips == Flips::momentum_and_noise;
}

namespace {

/// Slots whose versions a value is a function of.
void collect_slots(const KernelGraph& graph, Value v, std::set<std::int32_t>& found) {
  const ValueInfo& info = graph[v];
  if (info.kind == ValueKind::version) {
    for (const Variable member : members(graph, info.variable)) {
      if (graph[member].kind == VariableKind::slot) found.insert(member.id);
    }
    return;
  }
  const OperationInfo* const by = maker(graph, v);
  if (by == nullptr || by->kind != OperationKind::pure) return;
  for (const Input& i : by->inputs) collect_slots(graph, i.value, found);
}

}  // namespace

std::vector<Variable> recorded_slots(const KernelGraph& graph) {
  std::set<std::int32_t> found;
  for (const Record& r : graph.records()) {
    if (r.group == RecordGroup::posterior) collect_slots(graph, r.value, found);
  }
  std::vector<Variable> slots;
  for (std::size_t k = 0; k < graph.variables().size(); ++k) {
    const auto id = static_cast<std::int32_t>(k);
    const bool is_slot = graph.variables()[k].kind == VariableKind::slot;
    if (is_slot && (found.empty() || found.contains(id))) slots.push_back({id});
  }
  return slots;
}

bool is_uncorrected(const KernelGraph& graph, const OperationInfo& who) {
  return who.kind == OperationKind::move && !who.traits.invariant &&
         graph[who.outputs.front()].kind == ValueKind::version;
}

bool is_moved_otherwise(const KernelGraph& graph) {
  return std::any_of(
      graph.operations().begin(), graph.operations().end(), [&](const OperationInfo& o) {
        const bool small = o.kind == OperationKind::move && o.traits.local && !o.traits.invariant;
        return !small && std::any_of(o.outputs.begin(), o.outputs.end(), [&](Value v) {
          return graph[v].kind == ValueKind::version &&
                 graph[graph[v].variable].kind == VariableKind::slot;
        });
      });
}

}  // namespace mixwell::worlds
