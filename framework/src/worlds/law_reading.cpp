// Finds how to compute the weights of each law of a graph in a finite world.
// SPDX-License-Identifier: Apache-2.0
#include "worlds/reading.hpp"

#include <mixwell/law/capabilities.hpp>

namespace mixwell::worlds {
namespace {

bool is_estimated(const KernelGraph& graph, Value law) {
  const auto* const how = dynamic_cast<const Potential*>(graph[law].function.get());
  return how != nullptr && how->offers<EstimatedDensity>() != nullptr;
}

/// Whether an operation other than a move without a decision reads a law, or reads another law that
/// is made from this law. The noise of the law then does not average out. In the drift of a move it
/// averages out, because a small step adds the effects of single draws. An operation that only
/// keeps a value decides nothing: the tables show how later values depend on what it kept.
bool decides(const KernelGraph& graph, Value law) {
  return std::ranges::any_of(graph.operations(), [&](const OperationInfo& o) {
    const bool reads = std::ranges::any_of(
        o.inputs, [&](const Input& i) { return i.value == law && i.role != Role::weights; });
    if (!reads || is_uncorrected(graph, o) || o.kind == OperationKind::observe) return false;
    if (o.kind != OperationKind::pure) return true;
    return std::ranges::any_of(o.outputs, [&](Value made) {
      return graph[made].function != nullptr && decides(graph, made);
    });
  });
}

class LawReader {
 public:
  explicit LawReader(const KernelGraph& graph) : graph_(graph) {}

  LawReading read(Value v) const {
    LawReading law;
    law.before = law_before(graph_, v);
    law.factor = factor_behind(graph_, v);
    law.table = table_of(v);
    law.estimated = law.factor == v && is_estimated(graph_, v);
    law.kind = law.factor == v ? LawKind::factor : kind_of(v, law);
    if (law.kind == LawKind::free) read_arguments(v, law);
    return law;
  }

 private:
  bool is_given(Value input, Value factor) const {
    const Value v = seen(graph_, input);
    if (!is_version(graph_, v)) return false;
    return std::ranges::all_of(members(graph_, graph_[v].variable), [&](Variable slot) {
      return std::ranges::any_of(graph_.factors(), [&](const Factor& f) {
        return f.law == factor && contains(f.slots, slot);
      });
    });
  }

  /// A law of a slot has its own weights if its U differs from the U of the law from which it was
  /// made.
  LawKind kind_of(Value v, const LawReading& law) const {
    if (!law.factor) return LawKind::free;
    const OperationInfo& by = *maker(graph_, v);
    if (!by.traits.density.empty()) return LawKind::free;
    const auto is_of_estimate = [&](const Input& i) {
      const auto of = origin(graph_, i.value);
      return i.role != Role::law && of && graph_[*of].kind == VariableKind::estimate;
    };
    if (is_estimated(graph_, law.factor) && std::ranges::any_of(by.inputs, is_of_estimate))
      return LawKind::estimate;
    if (by.traits.marginal) return LawKind::marginal;
    const bool conditional = std::ranges::all_of(by.inputs, [&](const Input& i) {
      return i.role == Role::law || i.role == Role::weights || is_given(i.value, law.factor) ||
             graph_[i.value].kind == ValueKind::constant;
    });
    const bool only_view = graph_[v].storage && graph_[v].storage == law.before;
    const bool averages = conditional || only_view || !decides(graph_, v);
    const bool same = by.traits.exact_potential || (by.traits.unbiased && averages);
    return same ? LawKind::same : LawKind::free;
  }

  /// Laws of the same function have the same table. If a kernel is described again, its laws keep
  /// their tables.
  std::uint64_t table_of(Value v) const {
    const Value first = first_described(graph_, v);
    for (std::size_t k = 0; k < graph_.values().size(); ++k) {
      if (graph_.values()[k].function == graph_[first].function) return k;
    }
    return static_cast<std::uint64_t>(first.id);
  }

  // ---- the variable to which a free law belongs

  void read_arguments(Value v, LawReading& law) const try {
    law.arguments = arguments(v);
    law.symmetric = is_momentum(law.arguments.front());
  } catch (const NoReading& fault) {
    law.unread = fault.what();  // this is an error only if an operation is judged by this law
  }

  /// The variables that operations judge by this law. If no operation reads the law and only other
  /// laws are made from it: all slots of the factor of these laws.
  std::vector<Variable> arguments(Value law) const {
    if (const auto of = subject(law)) return members(graph_, *of);
    for (const Value other : all_values(graph_)) {
      if (!graph_[other].function || !(law_before(graph_, other) == law)) continue;
      return slots_beside(factor_behind(graph_, law), arguments(other));
    }
    throw NoReading("the operations do not determine which variable the law `" + graph_[law].name +
                    "` belongs to");
  }

  /// The slots of the factor that has this law and contains the first variable of `of`. If there is
  /// no such factor: `of`.
  std::vector<Variable> slots_beside(Value law, const std::vector<Variable>& of) const {
    for (const Factor& f : graph_.factors()) {
      if (f.law == law && contains(f.slots, of.front())) return f.slots;
    }
    return of;
  }

  /// The variable that operations judge by this law. A law that no factor went into can belong to
  /// an auxiliary or, if it is the law of a stage, to a slot.
  std::optional<Variable> subject(Value law) const {
    const bool of_slot = static_cast<bool>(factor_behind(graph_, law));
    for (const bool slot : {of_slot, true}) {
      for (const bool like : {false, true}) {
        if (const auto found = subject_by_readers(law, slot, like)) return root(graph_, *found);
      }
    }
    return std::nullopt;
  }

  /// For a refresh: the variable that it draws. For other operations: the first state that is not
  /// an auxiliary (with `of_slot`), or the first state that is an auxiliary.
  std::optional<Variable> subject_of_reader(const OperationInfo& o, bool of_slot) const {
    if (o.kind == OperationKind::refresh) return graph_[o.outputs.front()].variable;
    for (const Value state : values_of(o, Role::state)) {
      const auto v = origin(graph_, state);
      if (v && of_slot == (graph_[*v].kind != VariableKind::auxiliary)) return v;
    }
    return std::nullopt;
  }

  /// `like`: whether readers of other laws of the same function also count. The law at a proposal
  /// is such a law.
  bool is_judged_by(const OperationInfo& o, Value law, bool like) const {
    const bool judges = o.kind == OperationKind::refresh || o.kind == OperationKind::accept ||
                        o.kind == OperationKind::move;
    return judges && std::ranges::any_of(o.inputs, [&](const Input& i) {
             const bool same =
                 i.value == law || (like && graph_[i.value].function == graph_[law].function);
             return same && is_law_role(i.role);
           });
  }

  std::optional<Variable> subject_by_readers(Value law, bool of_slot, bool like) const {
    std::optional<Variable> found;
    for (const OperationInfo& o : graph_.operations()) {
      if (!is_judged_by(o, law, like)) continue;
      if (o.kind == OperationKind::refresh) return subject_of_reader(o, of_slot);
      if (!found) found = subject_of_reader(o, of_slot);
    }
    return found;
  }

  bool is_momentum(Variable v) const {
    return is_turned(graph_, v) &&
           std::ranges::any_of(graph_.operations(), [&](const OperationInfo& o) {
             return negates_momenta(o) &&
                    reads(o, Role::state, [&](Value s) { return origin(graph_, s) == v; });
           });
  }

  const KernelGraph& graph_;
};

}  // namespace

std::map<std::int32_t, LawReading> read_laws(const KernelGraph& graph) {
  const LawReader reader(graph);
  std::map<std::int32_t, LawReading> all;
  for (const Value v : all_values(graph)) {
    if (is_law(graph, v)) all.emplace(v.id, reader.read(v));
  }
  return all;
}

}  // namespace mixwell::worlds
