// What the weights of each law of a graph are.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/chance.hpp"
#include "worlds/reading.hpp"

#include <mixwell/estimated_density.hpp>

#include <algorithm>
#include <string>

namespace mixwell::worlds {

const LawReading& FiniteReading::law(Value v) const {
  const auto found = laws_.find(v.id);
  if (found != laws_.end()) return found->second;
  const auto why = unread_.find(v.id);
  throw NoReading(why != unread_.end() ? why->second : "`" + graph_[v].name + "` is no law");
}

bool FiniteReading::is_law_of(Value law, Variable v) const {
  const auto found = laws_.find(law.id);
  return found != laws_.end() && found->second.arguments == std::vector{v};
}

std::vector<Value> FiniteReading::digits(Value law) const {
  const OperationInfo* const by = maker(graph_, law);
  std::vector<Value> all;
  if (by == nullptr || by->kind != OperationKind::pure || graph_[law].storage) return all;
  for (const Input& i : by->inputs) {
    if (i.role != Role::weights && size(i.value) > 1) all.push_back(i.value);
  }
  return all;
}

bool FiniteReading::is_given(Value input, Value factor) const {
  const Value v = seen(graph_, input);
  if (graph_[v].kind != ValueKind::version) return false;
  const auto own = members(graph_, graph_[v].variable);
  return std::all_of(own.begin(), own.end(), [&](Variable slot) {
    return std::any_of(graph_.factors().begin(), graph_.factors().end(), [&](const Factor& f) {
      return f.law == factor && std::find(f.slots.begin(), f.slots.end(), slot) != f.slots.end();
    });
  });
}

namespace {

bool is_of_estimate(const KernelGraph& graph, Value v) {
  const auto of = origin(graph, v);
  return of && graph[*of].kind == VariableKind::estimate;
}

/// Whether anything but a move without a decision reads a law, or a law that is made from it. There
/// its noise does not average out. In a drift it does: Operations::drift adds what one draw does.
bool decides(const KernelGraph& graph, Value law) {
  const auto& all = graph.operations();
  return std::any_of(all.begin(), all.end(), [&](const OperationInfo& o) {
    const bool reads = std::any_of(o.inputs.begin(), o.inputs.end(), [&](const Input& i) {
      return i.value == law && i.role != Role::weights;
    });
    if (!reads || is_uncorrected(graph, o)) return false;
    if (o.kind != OperationKind::pure) return true;
    return std::any_of(o.outputs.begin(), o.outputs.end(), [&](Value made) {
      return graph[made].function != nullptr && decides(graph, made);
    });
  });
}

bool is_estimated(const KernelGraph& graph, Value law) {
  const auto* const how = dynamic_cast<const Potential*>(graph[law].function.get());
  return how != nullptr && how->offers<EstimatedDensity>() != nullptr;
}

}  // namespace

/// A law of a slot whose U differs from the one that it was made from has weights of its own.
LawKind FiniteReading::kind_of(Value v, Value before) const {
  const Value factor = before ? factor_behind(graph_, before) : Value{};
  if (!factor) return LawKind::free;
  const OperationInfo& by = *maker(graph_, v);
  if (!by.traits.density.empty()) return LawKind::free;
  if (is_estimated(graph_, factor)) {
    const bool of_estimate = std::any_of(by.inputs.begin(), by.inputs.end(), [&](const Input& i) {
      return i.role != Role::law && is_of_estimate(graph_, i.value);
    });
    if (of_estimate) return LawKind::estimate;
  }
  if (by.traits.marginal) return LawKind::marginal;
  const bool conditional = std::all_of(by.inputs.begin(), by.inputs.end(), [&](const Input& i) {
    return i.role == Role::law || i.role == Role::weights || is_given(i.value, factor) ||
           graph_[i.value].kind == ValueKind::constant;
  });
  const bool only_view = graph_[v].storage && graph_[v].storage == before;
  const bool averages = conditional || only_view || !decides(graph_, v);
  return by.traits.exact_potential || (by.traits.unbiased && averages) ? LawKind::same
                                                                       : LawKind::free;
}

/// Laws of the same function have the same table, and so have those of a kernel that is described
/// again.
std::uint64_t FiniteReading::table_of(Value v) const {
  const Value first = first_described(v);
  for (std::size_t k = 0; k < graph_.values().size(); ++k) {
    if (graph_.values()[k].function == graph_[first].function) return k;
  }
  return at(first.id);
}

LawReading FiniteReading::read_law(Value v) const {
  LawReading law;
  law.before = law_before(graph_, v);
  law.table = table_of(v);
  if (factor_behind(graph_, v) == v) {
    law.kind = LawKind::factor;
    law.estimated = is_estimated(graph_, v);
    return law;
  }
  law.kind = kind_of(v, law.before);
  if (law.kind != LawKind::free) return law;
  law.arguments = arguments(v);
  law.symmetric = is_momentum(law.arguments.front());
  return law;
}

void FiniteReading::read_laws() {
  for (std::size_t k = 0; k < graph_.values().size(); ++k) {
    const Value v{static_cast<std::int32_t>(k)};
    if (!graph_[v].function || !is_law(graph_, v)) continue;
    try {
      laws_.emplace(v.id, read_law(v));
    } catch (const NoReading& fault) {
      unread_.emplace(v.id, fault.what());  // nobody is judged by it
    }
  }
}

// ---- of which variable an auxiliary's law is one

/// Those of the variable by which it is read or, where only other laws are made from it, all slots
/// of their factor.
std::vector<Variable> FiniteReading::arguments(Value law) const {
  if (const auto of = subject(law)) return members(graph_, *of);
  for (std::size_t k = 0; k < graph_.values().size(); ++k) {
    const Value other{static_cast<std::int32_t>(k)};
    if (!graph_[other].function || !(law_before(graph_, other) == law)) continue;
    return slots_beside(factor_behind(graph_, law), arguments(other));
  }
  throw NoReading("nothing says of which variable `" + graph_[law].name + "` is a law");
}

/// Of the factor with this law that has the first of them, or them.
std::vector<Variable> FiniteReading::slots_beside(Value law,
                                                  const std::vector<Variable>& of) const {
  for (const Factor& f : graph_.factors()) {
    const bool has = std::find(f.slots.begin(), f.slots.end(), of.front()) != f.slots.end();
    if (f.law == law && has) return f.slots;
  }
  return of;
}

/// The law of a stage may be one that no factor went into, too.
std::optional<Variable> FiniteReading::subject(Value law) const {
  const bool of_slot = static_cast<bool>(factor_behind(graph_, law));
  for (const bool slot : {of_slot, true}) {
    for (const bool like : {false, true}) {
      if (const auto found = subject_by_readers(law, slot, like)) return root(graph_, *found);
    }
  }
  return std::nullopt;
}

/// What the reader draws, or the first of its states that is no auxiliary, if it is of a slot, and
/// else the first that is one.
std::optional<Variable> FiniteReading::subject_of_reader(const OperationInfo& o,
                                                         bool of_slot) const {
  if (o.kind == OperationKind::refresh) return graph_[o.outputs.front()].variable;
  for (const Input& s : o.inputs) {
    if (s.role != Role::state) continue;
    const auto v = origin(graph_, s.value);
    if (v && of_slot == (graph_[*v].kind != VariableKind::auxiliary)) return v;
  }
  return std::nullopt;
}

/// like: by whoever reads a law of the same function, as the one at a proposal is.
std::optional<Variable> FiniteReading::subject_by_readers(Value law, bool of_slot,
                                                          bool like) const {
  std::optional<Variable> found;
  for (const OperationInfo& o : graph_.operations()) {
    const bool judged = o.kind == OperationKind::refresh || o.kind == OperationKind::accept ||
                        o.kind == OperationKind::move;
    const bool reads =
        judged && std::any_of(o.inputs.begin(), o.inputs.end(), [&](const Input& i) {
          return (i.role == Role::law || i.role == Role::law_at_proposal ||
                  i.role == Role::stage_law) &&
                 (i.value == law || (like && graph_[i.value].function == graph_[law].function));
        });
    if (!reads) continue;
    if (o.kind == OperationKind::refresh) return subject_of_reader(o, of_slot);
    if (!found) found = subject_of_reader(o, of_slot);
  }
  return found;
}

bool FiniteReading::is_momentum(Variable v) const {
  return is_turned(graph_, v) &&
         std::any_of(graph_.operations().begin(), graph_.operations().end(),
                     [&](const OperationInfo& o) {
                       return o.kind == OperationKind::move && flips_momentum(o.traits) &&
                              !o.traits.keeps_law &&
                              std::any_of(o.inputs.begin(), o.inputs.end(), [&](const Input& i) {
                                return i.role == Role::state && origin(graph_, i.value) == v;
                              });
                     });
}

}  // namespace mixwell::worlds
