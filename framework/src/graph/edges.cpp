// Questions about the edges of a kernel graph that several of its readers ask.
// SPDX-License-Identifier: Apache-2.0
#include "graph/edges.hpp"

#include <algorithm>
#include <set>

namespace mixwell {

Value seen(const KernelGraph& graph, Value v) {
  while (graph[v].storage) v = graph[v].storage;
  return v;
}

const OperationInfo* maker(const KernelGraph& graph, Value v) {
  const std::int32_t by = graph[v].producer;
  return by < 0 ? nullptr : &graph.operations()[static_cast<std::size_t>(by)];
}

Value input_of(const OperationInfo& who, Role role) {
  for (const Input& i : who.inputs) {
    if (i.role == role) return i.value;
  }
  return {};
}

std::vector<std::size_t> inputs_of(const OperationInfo& who, Role role) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < who.inputs.size(); ++k) {
    if (who.inputs[k].role == role) all.push_back(k);
  }
  return all;
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

bool is_exchange(const KernelGraph& graph, const OperationInfo& who) {
  return who.kind == OperationKind::move && graph[who.outputs.front()].storage;
}

bool is_uncorrected(const KernelGraph& graph, const OperationInfo& who) {
  return who.kind == OperationKind::move && !who.traits.invariant &&
         graph[who.outputs.front()].kind == ValueKind::version;
}

bool flips_momentum(const Traits& traits) {
  return traits.flips == Flips::momentum || traits.flips == Flips::momentum_and_noise;
}

bool flips_noise(const Traits& traits) {
  return traits.flips == Flips::noise || traits.flips == Flips::momentum_and_noise;
}

bool negates_momenta(const OperationInfo& who) {
  return who.kind == OperationKind::move && flips_momentum(who.traits) && !who.traits.keeps_law;
}

bool is_law_role(Role role) {
  return role == Role::law || role == Role::law_at_proposal || role == Role::stage_law;
}

bool is_read_as(const KernelGraph& graph, Value v, std::initializer_list<Role> roles) {
  return std::ranges::any_of(graph.operations(), [&](const OperationInfo& o) {
    return std::ranges::any_of(o.inputs, [&](const Input& i) {
      return i.value == v && std::ranges::find(roles, i.role) != roles.end();
    });
  });
}

namespace {

/// Read as a candidate or a state by an operation that is no evaluation.
bool is_candidate(const KernelGraph& graph, Value v) {
  if (graph[v].kind == ValueKind::version) return true;
  if (graph[v].evaluated_law) return false;
  return std::ranges::any_of(graph.operations(), [&](const OperationInfo& o) {
    return o.kind != OperationKind::pure && std::ranges::any_of(o.inputs, [&](const Input& i) {
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
  const Function* const how = graph[v].function.get();
  return dynamic_cast<const Potential*>(how) != nullptr ||
         (how != nullptr &&
          is_read_as(graph, v, {Role::law, Role::law_at_proposal, Role::stage_law}));
}

Value law_before(const KernelGraph& graph, Value law) {
  const OperationInfo* const by = maker(graph, law);
  if (by == nullptr || by->kind != OperationKind::pure) return {};
  if (const Value before = input_of(*by, Role::law)) return before;
  const Value behind = graph[law].storage;
  return behind && is_law(graph, behind) ? behind : Value{};
}

Value factor_behind(const KernelGraph& graph, Value law) {
  const auto is_its_law = [&](const Factor& f) { return f.law == law; };
  while (law && std::ranges::none_of(graph.factors(), is_its_law)) law = law_before(graph, law);
  return law;
}

namespace {

template <class First, class End>
std::int32_t first_like(const KernelGraph& graph, std::int32_t id, First first, End end) {
  for (const KernelDescription& d : graph.descriptions()) {
    if (id < d.*first || id >= d.*end) continue;
    for (const KernelDescription& f : graph.descriptions()) {
      if (f.kernel == d.kernel && f.*end - f.*first == d.*end - d.*first)
        return f.*first + id - d.*first;
    }
  }
  return id;
}

}  // namespace

Value first_described(const KernelGraph& graph, Value v) {
  return {first_like(graph, v.id, &KernelDescription::first_value, &KernelDescription::end_value)};
}

std::size_t first_described(const KernelGraph& graph, std::size_t operation) {
  return static_cast<std::size_t>(first_like(graph, static_cast<std::int32_t>(operation),
                                             &KernelDescription::first_operation,
                                             &KernelDescription::end_operation));
}

bool is_turned(const KernelGraph& graph, Variable v) {
  return graph[v].kind == VariableKind::auxiliary && graph[v].traits.turns;
}

bool is_moved_otherwise(const KernelGraph& graph) {
  return std::ranges::any_of(graph.operations(), [&](const OperationInfo& o) {
    const bool small = o.kind == OperationKind::move && o.traits.local && !o.traits.invariant;
    return !small && std::ranges::any_of(o.outputs, [&](Value v) {
      return graph[v].kind == ValueKind::version &&
             graph[graph[v].variable].kind == VariableKind::slot;
    });
  });
}

namespace {

/// Slots whose versions a value is a function of.
void collect_slots(const KernelGraph& graph, Value v, std::set<std::int32_t>& found) {
  if (graph[v].kind == ValueKind::version) {
    for (const Variable member : members(graph, graph[v].variable)) {
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
    const Variable v{static_cast<std::int32_t>(k)};
    const bool is_recorded = found.empty() || found.contains(v.id);
    if (graph[v].kind == VariableKind::slot && is_recorded) slots.push_back(v);
  }
  return slots;
}

}  // namespace mixwell
