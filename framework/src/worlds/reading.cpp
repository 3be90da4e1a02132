// Finds the sizes of a graph's finite sets, and groups operations that compute the same function.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/reading.hpp"

namespace mixwell::worlds {
namespace {

/// Whether a variable is the value of an estimate that a decision writes but does not propose. Such
/// a value is a function of the other variables.
bool is_kept_value(const KernelGraph& graph, Variable v) {
  if (graph[v].kind != VariableKind::estimate) return false;
  return std::ranges::any_of(graph.operations(), [&](const OperationInfo& o) {
    return writes(graph, o, v) &&
           !reads(o, Role::state, [&](Value state) { return origin(graph, state) == v; });
  });
}

int branches(const KernelGraph& graph, Value choice) {
  Index most = 1;
  for (const OperationInfo& o : graph.operations()) {
    if (o.guard && o.guard.choice == choice) most = std::max(most, o.guard.branch + 1);
  }
  return static_cast<int>(most);
}

bool reads_noise(const KernelGraph& graph, const OperationInfo& o) {
  return o.kind == OperationKind::pure && std::ranges::any_of(o.inputs, [&](const Input& i) {
           return graph[i.value].kind == ValueKind::noise;
         });
}

std::vector<std::uint64_t> functions_of(const KernelGraph& graph) {
  std::vector<std::uint64_t> all;
  std::map<const Body*, std::uint64_t> known;
  for (std::size_t o = 0; o < graph.operations().size(); ++o) {
    const std::size_t first = first_described(graph, o);
    const Body* const body = graph.operations()[first].body.get();
    all.push_back(body == nullptr ? first : known.try_emplace(body, first).first->second);
  }
  return all;
}

EdgeRoles edges_of(const KernelGraph& graph, const OperationInfo& who) {
  EdgeRoles all;
  const std::map<Role, std::vector<std::size_t>*> by_role{
      {Role::state, &all.states}, {Role::proposed, &all.proposed},
      {Role::law, &all.laws},     {Role::law_at_proposal, &all.at_proposal},
      {Role::noise, &all.handed}, {Role::stage_law, &all.stage_laws}};
  for (std::size_t k = 0; k < who.inputs.size(); ++k) {
    const Input& i = who.inputs[k];
    const auto known = by_role.find(i.role);
    if (graph[i.value].kind == ValueKind::noise) {
      all.fresh.push_back(k);
    } else if (known != by_role.end()) {
      known->second->push_back(k);
    } else if (i.role != Role::weights && !graph[i.value].evaluated_law) {
      all.parameters.push_back(k);
    }
  }
  for (const std::size_t k : all.states)
    all.of.push_back(origin(graph, who.inputs[k].value).value_or(Variable{}));
  all.moved = moved_outputs(graph, who);
  return all;
}

}  // namespace

FiniteReading::FiniteReading(const KernelGraph& graph, const Sizes& sizes)
    : graph_(graph), sizes_(sizes), functions_(functions_of(graph)) {
  std::size_t states = 1;  // of the recorded slots; checked first, because larger graphs take long
  for (std::size_t k = recorded_slots(graph).size(); k > 0 && states <= most_states; --k)
    states *= at(sizes.place);
  if (states > most_states) throw NoReading("the composition has too many slots");
  size_variables();
  laws_ = read_laws(graph);
  size_values();
  for (const OperationInfo& o : graph.operations()) edges_.push_back(edges_of(graph, o));
}

int FiniteReading::size_of_variable(const VariableInfo& v) const {
  const std::map<VariableKind, int> own{{VariableKind::slot, sizes_.place},
                                        {VariableKind::auxiliary, sizes_.momentum},
                                        {VariableKind::history, sizes_.memory},
                                        {VariableKind::estimate, sizes_.draws}};
  if (const auto found = own.find(v.kind); found != own.end()) return found->second;
  int product = 1;
  for (const Variable part : v.parts) product *= size(part);
  return product;
}

void FiniteReading::size_variables() {
  for (const VariableInfo& v : graph_.variables()) {
    const int size = size_of_variable(v);
    if (size > sizes_.most) throw NoReading("`" + v.name + "` joins too many slots");
    variables_.push_back(size);
  }
  for (const Variable v : all_variables(graph_)) {
    if (is_kept_value(graph_, v)) variables_[index(v)] = 1;
  }
  if (sizes_.place < 3) merge_registers();
  equate_exchanged();
}

/// In the smallest worlds, only the first of several histories that an operation writes has more
/// than one value.
void FiniteReading::merge_registers() {
  for (const OperationInfo& o : graph_.operations()) {
    if (o.kind != OperationKind::observe) continue;
    for (std::size_t k = 1; k < o.outputs.size(); ++k)
      variables_[at(graph_[o.outputs[k]].variable.id)] = 1;
  }
}

/// A variable that is exchanged with a slot has as many values as the slot.
void FiniteReading::equate_exchanged() {
  for (const OperationInfo& o : graph_.operations()) {
    if (!is_exchange(graph_, o)) continue;
    const auto a = origin(graph_, o.inputs[0].value);
    const auto b = origin(graph_, o.inputs[1].value);
    if (!a || !b) continue;
    for (const auto& [v, other] : {std::pair(*a, *b), std::pair(*b, *a)}) {
      if (graph_[v].kind == VariableKind::auxiliary) variables_[at(v.id)] = size(other);
    }
  }
}

int FiniteReading::size_of_law(const OperationInfo& o, Value v) const {
  if (graph_[v].storage) return size(graph_[v].storage);
  const int product = digits(v).radix.total();
  const bool free = laws_.at(v.id).kind == LawKind::free;
  if (product <= (free ? 32 : sizes_.most)) return product;
  if (free) return 8;  // a digest
  throw NoReading("the law of `" + o.name + "` depends on too many values");
}

int FiniteReading::size_of_output(const OperationInfo& o, Value v) const {
  const ValueInfo& info = graph_[v];
  if (info.kind == ValueKind::version) return size(info.variable);
  if (info.evaluated_law) return 1;
  if (o.kind == OperationKind::move) {
    if (const auto of = origin(graph_, v)) return size(*of);
    if (is_read_as(graph_, v, {Role::evaluation})) return 1;  // U at the end of the move
  }
  if (o.kind == OperationKind::pure && is_law(v)) return size_of_law(o, v);
  if (info.storage) return size(info.storage);
  return std::max(reads_noise(graph_, o) ? sizes_.draws : sizes_.number, branches(graph_, v));
}

LawDigits FiniteReading::digits_of(const OperationInfo& o, Value v) const {
  LawDigits all;
  if (o.kind != OperationKind::pure || graph_[v].storage) return all;
  for (std::size_t k = 0; k < o.inputs.size(); ++k) {
    const Value digit = o.inputs[k].value;
    if (o.inputs[k].role == Role::weights || size(digit) == 1) continue;
    all.inputs.push_back(k);
    all.values.push_back(digit);
    all.radix.sizes.push_back(size(digit));
  }
  return all;
}

void FiniteReading::size_values() {
  values_.assign(graph_.values().size(), 1);
  digits_.resize(values_.size());
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const ValueInfo& v = graph_.values()[k];
    if (v.kind == ValueKind::noise) values_[k] = sizes_.draws;
    if (v.kind == ValueKind::version) values_[k] = size(v.variable);
  }
  for (const OperationInfo& o : graph_.operations()) {
    for (const Value v : o.outputs) {
      digits_[at(v.id)] = digits_of(o, v);
      values_[at(v.id)] = size_of_output(o, v);
    }
  }
}

const LawReading& FiniteReading::law(Value v) const {
  const auto found = laws_.find(v.id);
  if (found == laws_.end()) throw NoReading("`" + graph_[v].name + "` is not a law");
  if (!found->second.unread.empty()) throw NoReading(found->second.unread);
  return found->second;
}

bool FiniteReading::is_law_of(Value law, Variable v) const {
  const auto found = laws_.find(law.id);
  return found != laws_.end() && found->second.arguments == std::vector{v};
}

bool FiniteReading::is_draw(Value v) const {
  if (graph_[v].kind == ValueKind::noise) return true;
  const OperationInfo* const by = maker(graph_, v);
  return by != nullptr && size(v) == sizes_.draws && reads_noise(graph_, *by);
}

std::vector<std::pair<Variable, int>> FiniteReading::split(Variable v, int value) const {
  std::vector<std::pair<Variable, int>> all;
  for (const Variable member : members(graph_, v)) {
    all.emplace_back(member, value % size(member));
    value /= size(member);
  }
  return all;
}

}  // namespace mixwell::worlds
