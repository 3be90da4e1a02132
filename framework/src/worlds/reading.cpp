// How many values everything has, and which operations compute the same function.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/reading.hpp"

#include "worlds/chance.hpp"

#include <algorithm>
#include <string>

namespace mixwell::worlds {

FiniteReading::FiniteReading(const KernelGraph& graph, const Sizes& sizes)
    : graph_(graph), sizes_(sizes) {
  std::size_t states = 1;  // of what is recorded: told before anything takes long
  for (std::size_t k = recorded_slots(graph).size(); k > 0 && states <= most_states; --k)
    states *= at(sizes.place);
  if (states > most_states) throw NoReading("it has too many slots");
  size_variables();
  size_values();
  number_functions();
  read_laws();
}

// ---- how many values

int FiniteReading::size_of_variable(const VariableInfo& v) const {
  switch (v.kind) {
    case VariableKind::slot:
      return sizes_.place;
    case VariableKind::auxiliary:
      return sizes_.momentum;
    case VariableKind::history:
      return sizes_.memory;
    case VariableKind::estimate:  // what is kept of it is a function of what it was made from
      return sizes_.draws;
    case VariableKind::joined:
    case VariableKind::trial:
      break;
  }
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
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    if (is_kept_value({static_cast<std::int32_t>(k)})) variables_[k] = 1;
  }
  if (sizes_.place < 3) merge_registers();
  equate_exchanged();
}

/// The value of an estimate, which a decision writes and does not propose: a function of the rest.
bool FiniteReading::is_kept_value(Variable v) const {
  if (graph_[v].kind != VariableKind::estimate) return false;
  return std::any_of(graph_.operations().begin(), graph_.operations().end(), [&](const auto& o) {
    const bool writes = std::any_of(o.outputs.begin(), o.outputs.end(), [&](Value out) {
      return graph_[out].kind == ValueKind::version && graph_[out].variable == v;
    });
    return writes && std::none_of(o.inputs.begin(), o.inputs.end(), [&](const Input& i) {
             return i.role == Role::state && origin(graph_, i.value) == v;
           });
  });
}

/// In the smallest worlds what writes several registers remembers something in the first only.
void FiniteReading::merge_registers() {
  for (const OperationInfo& o : graph_.operations()) {
    if (o.kind != OperationKind::observe) continue;
    for (std::size_t k = 1; k < o.outputs.size(); ++k) {
      variables_[at(graph_[o.outputs[k]].variable.id)] = 1;
    }
  }
}

/// What changes places with a slot has as many values.
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

int FiniteReading::branches(Value choice) const {
  Index most = 1;
  for (const OperationInfo& o : graph_.operations()) {
    if (o.guard && o.guard.choice == choice) most = std::max(most, o.guard.branch + 1);
  }
  return static_cast<int>(most);
}

int FiniteReading::size_of_law(const OperationInfo& o, Value v) const {
  if (graph_[v].storage) return size(graph_[v].storage);
  int product = 1;
  for (const Value digit : digits(v)) product *= size(digit);
  const bool free = kind_of(v, law_before(graph_, v)) == LawKind::free;
  if (product <= (free ? 32 : sizes_.most)) return product;
  if (free) return 8;  // a digest
  throw NoReading("the law of `" + o.name + "` depends on too many numbers");
}

int FiniteReading::size_of_output(const OperationInfo& o, Value v) const {
  const ValueInfo& info = graph_[v];
  if (info.kind == ValueKind::version) return size(info.variable);
  if (info.evaluated_law) return 1;
  if (o.kind == OperationKind::move) {
    if (const auto of = origin(graph_, v)) return size(*of);
    if (is_read_as(graph_, v, Role::evaluation)) return 1;  // U where the move ends
  }
  if (o.kind == OperationKind::pure && is_law(graph_, v)) return size_of_law(o, v);
  if (info.storage) return size(info.storage);
  const bool drawn = o.kind == OperationKind::pure &&
                     std::any_of(o.inputs.begin(), o.inputs.end(), [&](const Input& i) {
                       return graph_[i.value].kind == ValueKind::noise;
                     });
  return std::max(drawn ? sizes_.draws : sizes_.number, branches(v));
}

void FiniteReading::size_values() {
  values_.assign(graph_.values().size(), 1);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const ValueInfo& v = graph_.values()[k];
    if (v.kind == ValueKind::noise) values_[k] = sizes_.draws;
    if (v.kind == ValueKind::version) values_[k] = size(v.variable);
  }
  for (const OperationInfo& o : graph_.operations()) {
    for (const Value v : o.outputs) values_[at(v.id)] = size_of_output(o, v);
  }
}

// ---- what is the same

namespace {

/// The description of its kernel that holds an id, and the first one of that kernel.
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

Value FiniteReading::first_described(Value v) const {
  return {first_like(graph_, v.id, &KernelDescription::first_value, &KernelDescription::end_value)};
}

void FiniteReading::number_functions() {
  std::map<const Body*, std::uint64_t> known;
  for (std::size_t o = 0; o < graph_.operations().size(); ++o) {
    const auto first =
        at(first_like(graph_, static_cast<std::int32_t>(o), &KernelDescription::first_operation,
                      &KernelDescription::end_operation));
    const Body* const body = graph_.operations()[first].body.get();
    functions_.push_back(body == nullptr ? first : known.try_emplace(body, first).first->second);
  }
}

bool FiniteReading::is_draw(Value v) const {
  if (graph_[v].kind == ValueKind::noise) return true;
  const OperationInfo* const by = maker(graph_, v);
  if (by == nullptr || by->kind != OperationKind::pure || size(v) != sizes_.draws) return false;
  return std::any_of(by->inputs.begin(), by->inputs.end(),
                     [&](const Input& i) { return graph_[i.value].kind == ValueKind::noise; });
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
