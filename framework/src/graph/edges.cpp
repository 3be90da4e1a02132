// Queries on the edges of a kernel graph.
// SPDX-License-Identifier: Apache-2.0
#include "graph/edges.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/graph/operation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace mixwell {

Value seen(const KernelGraph& graph, Value v) {
  while (graph[v].storage) v = graph[v].storage;
  return v;
}

const OperationInfo* maker(const KernelGraph& graph, Value v) {
  const std::int32_t by = graph[v].producer;
  return by < 0 ? nullptr : &graph.operations()[index(by)];
}

std::size_t place_among_outputs(const KernelGraph& graph, Value v) {
  const auto& outputs = maker(graph, v)->outputs;
  return static_cast<std::size_t>(std::ranges::find(outputs, v) - outputs.begin());
}

Value input_of(const OperationInfo& who, Role role) {
  const auto found = std::ranges::find(who.inputs, role, &Input::role);
  return found == who.inputs.end() ? Value{} : found->value;
}

std::vector<Value> values_of(const OperationInfo& who, Role role) {
  std::vector<Value> all;
  for (const Input& i : who.inputs) {
    if (i.role == role) all.push_back(i.value);
  }
  return all;
}

bool writes(const KernelGraph& graph, const OperationInfo& who, Variable v) {
  return std::ranges::any_of(
      who.outputs, [&](Value out) { return is_version(graph, out) && graph[out].variable == v; });
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
         is_version(graph, who.outputs.front());
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
    return std::ranges::any_of(
        o.inputs, [&](const Input& i) { return i.value == v && contains(roles, i.role); });
  });
}

namespace {

/// Whether the value is a version, or an operation that is not pure reads it as a candidate or a
/// state.
bool is_candidate(const KernelGraph& graph, Value v) {
  if (is_version(graph, v)) return true;
  if (graph[v].evaluated_law) return false;
  const auto is_it = [&](Value other) { return other == v; };
  return std::ranges::any_of(graph.operations(), [&](const OperationInfo& o) {
    return o.kind != OperationKind::pure &&
           (reads(o, Role::proposed, is_it) || reads(o, Role::state, is_it));
  });
}

}  // namespace

std::vector<std::size_t> moved_outputs(const KernelGraph& graph, const OperationInfo& who) {
  const std::size_t states = values_of(who, Role::state).size();
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < who.outputs.size() && all.size() < states; ++k) {
    if (is_candidate(graph, who.outputs[k])) all.push_back(k);
  }
  return all;
}

std::optional<Variable> origin(const KernelGraph& graph, Value v) {
  if (is_version(graph, v)) return graph[v].variable;
  if (graph[v].storage) return origin(graph, graph[v].storage);
  const OperationInfo* const by = maker(graph, v);
  if (by == nullptr || by->kind != OperationKind::move) return std::nullopt;
  const auto states = values_of(*by, Role::state);
  const auto moved = moved_outputs(graph, *by);
  for (std::size_t k = 0; k < moved.size(); ++k) {
    if (by->outputs[moved[k]] == v) return origin(graph, states[k]);
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
    return !small && std::ranges::any_of(o.outputs,
                                         [&](Value v) { return is(graph, v, VariableKind::slot); });
  });
}

std::vector<std::vector<Variable>> joint_slots(const KernelGraph& graph) {
  std::vector<std::vector<Variable>> all;
  for (const Variable v : all_variables(graph)) {
    if (graph[v].kind == VariableKind::slot) all.push_back({v});
  }
  for (const Factor& f : graph.factors()) {
    const auto apart = std::stable_partition(all.begin(), all.end(), [&](const auto& group) {
      return std::ranges::none_of(group, [&](Variable v) { return contains(f.slots, v); });
    });
    std::vector<Variable> joined;
    for (auto g = apart; g != all.end(); ++g) joined.insert(joined.end(), g->begin(), g->end());
    all.erase(apart, all.end());
    if (!joined.empty()) all.push_back(joined);
  }
  return all;
}

namespace {

/// Finds the slots whose versions a value is a function of.
void collect_slots(const KernelGraph& graph, Value v, std::set<std::int32_t>& found) {
  if (is_version(graph, v)) {
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
  for (const Variable v : all_variables(graph)) {
    const bool is_recorded = found.empty() || found.contains(v.id);
    if (graph[v].kind == VariableKind::slot && is_recorded) slots.push_back(v);
  }
  return slots;
}

}  // namespace mixwell

namespace mixwell::detail {

void require_values(const std::string& operation, const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    if (input.value) continue;
    throw WiringError(
        fmt::format("kernel graph: operation `{}` has an input edge with role `{}` but without a "
                    "value. Make each edge from a value of this graph.",
                    operation, to_string(input.role)));
  }
}

void refuse_other_edges(const std::string& operation) {
  throw WiringError(
      fmt::format("kernel graph: operation `{}` shares the body of another operation, but the two "
                  "operations have different kinds of edges. Give both the same kinds of edges.",
                  operation));
}

}  // namespace mixwell::detail
