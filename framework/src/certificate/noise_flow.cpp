// Finds which transitions use each noise value, which share it, and which versions depend on it.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/noise_flow.hpp"

#include <algorithm>
#include <set>

namespace mixwell {
namespace {

/// Collects the ways in which noises enter one transition.
class WaysOf {
 public:
  WaysOf(const Analysis& a, std::size_t t)
      : a_(a), t_(t), is_stage_(a.is_stage(t)), stage_law_(input_of(a.info(t), Role::stage_law)) {
    const std::size_t count = a.graph.values().size();
    for (IdSet* set : {&ways_.law, &ways_.own, &ways_.refreshed, &ways_.parameters, &ways_.twice}) {
      set->resize(count);
    }
    const OperationInfo& writer = a.info(t);
    ways_.law_is_faint = writer.kind == OperationKind::move && writer.traits.local;
    for (const auto& [part, input] : a.inputs(t)) sort(*part, input);
  }

  /// Adds the ways in which noises enter a stage of the proposal.
  void add_stage(const NoiseWays& stage) {
    ways_.parameters |= (stage.parameters | stage.law) - stage.exposed();
    ways_.twice |= stage.exposed() & ways_.used();
    ways_.twice |= stage.twice;
    add(ways_.own, stage.own);
    add(ways_.refreshed, stage.refreshed);
    ways_.law |= stage.law;
  }

  NoiseWays take() { return std::move(ways_); }

 private:
  void sort(const OperationInfo& who, const Input& input) {
    switch (input.role) {
      case Role::noise:
        return add(ways_.own, behind(input.value));
      case Role::state:
        if (states_.insert(input.value.id).second) {
          add(ways_.refreshed, noises_of_redraw(a_, input.value));
        }
        return;
      case Role::proposed:
        return;
      case Role::law:
      case Role::law_at_proposal:
        return law(who, input);
      case Role::evaluation:
        (divides_out(input.value) ? ways_.parameters : ways_.law) |= behind(input.value);
        return;
      default:
        if (decides_with(who, input)) return add(ways_.own, behind(input.value));
        ways_.parameters |= behind(input.value);
    }
  }

  /// Records that one more input brings these noises in.
  void add(IdSet& way, const IdSet& noises) {
    ways_.twice |= way & noises;
    way |= noises;
  }

  /// The rules judge a refresh by its law, so its outcome depends only on its own noise.
  void law(const OperationInfo& who, const Input& input) {
    if (who.kind == OperationKind::refresh || is_stage_) {
      ways_.parameters |= behind(input.value);
    } else if (a_.is_auxiliary_law(input) || input.role == Role::law_at_proposal) {
      ways_.parameters |= beside_evaluations(input.value);
      ways_.law |= behind(input.value) - ways_.parameters;
    } else {
      ways_.law |= behind(input.value);
    }
  }

  /// Whether an input is an evaluation of the law of the proposal's stages. The update leaves its
  /// target density invariant for every law of the stages.
  bool divides_out(Value evaluation) const {
    return is_stage_ || (stage_law_ && a_.graph[evaluation].evaluated_law == stage_law_);
  }

  /// An accept without a noise decides by a parameter. A history stores information about
  /// everything that it reads.
  bool decides_with(const OperationInfo& who, const Input& input) const {
    if (who.kind == OperationKind::observe) return true;
    return who.kind == OperationKind::accept && input.role == Role::parameter &&
           !input_of(who, Role::noise);
  }

  IdSet behind(Value v) const { return a_.noises_behind(v, t_); }

  /// Noises on which an auxiliary's law depends, except those that enter through an evaluation of a
  /// law.
  IdSet beside_evaluations(Value of) const {
    IdSet found(a_.graph.values().size());
    IdSet seen(found.size());
    std::vector<Value> open{of};
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      if (seen.test_set(index(v)) || a_.graph[v].evaluated_law) continue;
      if (a_.graph[v].kind == ValueKind::noise) found.set(index(v));
      if (!is_pure(a_.graph, v)) continue;
      for (const Value source : sources(a_.graph, v)) open.push_back(source);
    }
    return found;
  }

  const Analysis& a_;
  std::size_t t_;
  bool is_stage_;
  Value stage_law_;
  NoiseWays ways_;
  std::set<std::int32_t> states_;  ///< both a move and its accept may read the same state
};

/// Auxiliaries that some transition reads without judging them.
IdSet auxiliaries_read_beside(const Analysis& a) {
  IdSet found(a.graph.variables().size());
  const auto look = [&](std::size_t t, Value leaf) {
    if (!a.is(leaf, VariableKind::auxiliary)) return;
    const Variable v = a.graph[leaf].variable;
    if (!a.judges(t, v) || a.is_drawn_anew_since(t, leaf)) found.set(index(v));
  };
  for (std::size_t t = 0; t < a.all.size(); ++t) {
    for (const auto& [part, input] : a.inputs(t)) {
      if (input.role == Role::state || input.role == Role::proposed) continue;
      each(a.cones.leaves(input.value), [&](std::int32_t leaf) { look(t, Value{leaf}); });
    }
  }
  return found;
}

}  // namespace

IdSet noises_of_redraw(const Analysis& a, Value state) {
  IdSet found(a.graph.values().size());
  const OperationInfo* const by = a.refresh_of(state);
  if (by == nullptr) return found;
  for (const Value noise : values_of(*by, Role::noise)) found |= a.noises_behind(noise);
  return found;
}

NoiseFlow::NoiseFlow(const Analysis& a, const std::vector<bool>& wrong)
    : a_(a), known_(a.graph.values().size(), IdSet(a.graph.values().size())) {
  const IdSet read_beside = auxiliaries_read_beside(a);
  std::int32_t next = 0;
  for (std::size_t t = 0; t < a.all.size(); ++t) {
    for (; next < a.all[t].operation; ++next) copy_known(a.operation(next));
    WaysOf ways(a, t);
    for (const std::size_t stage : a.unit(t)) {
      if (stage != t) ways.add_stage(ways_[stage]);
    }
    ways_.push_back(ways.take());
    told_.push_back(wrong[t] ? ways_.back().used() : ways_.back().told());
    const auto& writes = a.all[t].writes;
    const bool is_read_beside =
        std::ranges::any_of(writes, [&](Variable v) { return read_beside.test(index(v)); });
    if (is_read_beside) told_.back() |= behind_laws(t);
    IdSet told = told_.back();
    for (const OperationInfo* part : a.parts(t)) told |= known_given_laws(t, *part);
    for (const OperationInfo* part : a.parts(t)) {
      for (const Value out : part->outputs) {
        if (a.graph[out].kind == ValueKind::derived) {
          known_[index(out)] = told | ways_.back().used();
        }
      }
    }
    for (const Value out : a.info(t).outputs) {
      if (!a.is_version(out)) continue;
      IdSet& known = known_[index(out)] = told;
      if (a.is(out, VariableKind::auxiliary)) known |= behind_laws(t);
      if (a.info(t).guard) known |= known_[index(a.graph[out].replaces)];
    }
  }
  find_tellers();
  pass_on();
  find_tellers();
  std::vector<IdSet> behind;
  std::vector<IdSet> reads;
  for (std::size_t t = 0; t < a.all.size(); ++t) {
    behind.push_back(behind_parameters(t));
    reads.push_back(read_by(t));
  }
  entangled_ = entangled_updates(a, ways_, tellers_, behind, reads);
  entangle_joint_slots();
  for (std::size_t t = 0; t < a.all.size(); ++t) sharing_.push_back(find_sharing(t));
  for (std::size_t t = 0; t < a.all.size(); ++t) find_reached(t);
}

void NoiseFlow::find_reached(std::size_t t) {
  std::vector<Variable> around;
  for (const std::size_t one : a_.unit(t)) {
    around.insert(around.end(), a_.all[one].writes.begin(), a_.all[one].writes.end());
  }
  for (const std::size_t other : sharing_[t]) {
    if (draws_for(other, t)) continue;
    reached_.emplace(std::pair(t, other), a_.influence.reached(a_.all[other].writes, around));
  }
}

void NoiseFlow::find_tellers() {
  tellers_.assign(a_.graph.values().size(), {});
  for (std::size_t t = 0; t < a_.all.size(); ++t) {
    each(told_[t], [&](std::int32_t n) { tellers_[index(n)].push_back(t); });
  }
}

void NoiseFlow::pass_on() {
  for (std::size_t t = 0; t < a_.all.size(); ++t) {
    if (!writes_several_slots(t)) continue;
    for (const Value state : values_of(a_.info(t), Role::state)) {
      each(known(state), [&](std::int32_t n) {
        if (is_told_apart(n)) told_[t].set(index(n));
      });
    }
  }
}

void NoiseFlow::entangle_joint_slots() {
  for (std::size_t t = 0; t < a_.all.size(); ++t) {
    if (!writes_several_slots(t)) continue;
    for (const Value state : values_of(a_.info(t), Role::state)) {
      for (Value at = state; at; at = a_.graph[at].replaces) {
        const auto writer = a_.transition_of(a_.graph[at].producer);
        if (!writer) continue;
        each(entangled_[*writer], [&](std::int32_t one) {
          if (index(one) == t) return;
          entangled_[t].set(index(one));
          entangled_[index(one)].set(t);
        });
      }
    }
  }
}

bool NoiseFlow::writes_several_slots(std::size_t t) const {
  return std::ranges::count_if(a_.all[t].writes,
                               [&](Variable v) { return a_.is(v, VariableKind::slot); }) > 1;
}

bool NoiseFlow::is_told_apart(std::int32_t noise) const {
  const auto& tellers = tellers_[index(noise)];
  for (const std::size_t one : tellers) {
    for (const std::size_t other : tellers) {
      const bool is_one_unit = a_.all[one].decided_by == a_.all[other].decided_by;
      if (!is_one_unit && !is_draw_for_other(one, other)) return true;
    }
  }
  return false;
}

IdSet NoiseFlow::behind_laws(std::size_t t) const {
  IdSet found(a_.graph.values().size());
  for (const Value law : a_.auxiliary_laws(a_.info(t))) found |= a_.noises_behind(law);
  return found;
}

IdSet NoiseFlow::known_given_laws(std::size_t t, const OperationInfo& part) const {
  const IdSet given = behind_laws(t);
  if (given.none()) return known_to_inputs(part);
  IdSet known(a_.graph.values().size());
  for (const Input& input : part.inputs) {
    each(a_.cones.versions(input.value), [&](std::int32_t v) {
      const bool is_judged =
          a_.is(Value{v}, VariableKind::auxiliary) && a_.judges(t, a_.graph[Value{v}].variable);
      const IdSet& all = known_[index(v)];
      known |= is_judged ? all - given : all;
    });
  }
  return known;
}

IdSet NoiseFlow::known_to_inputs(const OperationInfo& who) const {
  IdSet known(a_.graph.values().size());
  for (const Input& input : who.inputs) {
    each(a_.cones.versions(input.value), [&](std::int32_t v) { known |= known_[index(v)]; });
  }
  return known;
}

IdSet NoiseFlow::behind_parameters(std::size_t t) const {
  IdSet known(a_.graph.values().size());
  const auto add = [&](std::int32_t leaf) {
    const ValueInfo& v = a_.graph[Value{leaf}];
    const bool is_own =
        v.kind == ValueKind::version ? a_.is_state_of(t, v.variable) : a_.is_made_by(t, v.producer);
    if (!is_own) known |= known_[index(leaf)];
  };
  for (const std::size_t one : a_.unit(t))
    for (const auto& [part, input] : a_.inputs(one))
      if (is_parameter(input.role)) each(a_.cones.leaves(input.value), add);
  IdSet found = ways_[t].parameters;
  each(known, [&](std::int32_t n) {
    if (is_told_apart(n)) found.set(index(n));
  });
  return found;
}

IdSet NoiseFlow::read_by(std::size_t t) const {
  IdSet read(a_.graph.values().size());
  for (const std::size_t one : a_.unit(t)) {
    for (const auto& [part, input] : a_.inputs(one)) read |= a_.cones.versions(input.value);
  }
  return read;
}

void NoiseFlow::copy_known(const OperationInfo& who) {
  if (who.kind != OperationKind::regroup) return;
  for (const Value out : who.outputs) {
    known_[index(out)] = known_to_inputs(who);
  }
}

bool NoiseFlow::draws_for(std::size_t t, std::size_t refresh) const {
  if (a_.info(refresh).kind != OperationKind::refresh) return false;
  return std::ranges::any_of(a_.unit(t), [&](std::size_t one) {
    return std::ranges::any_of(a_.info(refresh).outputs,
                               [&](Value v) { return a_.reads_as_state(one, v); });
  });
}

IdSet NoiseFlow::shared(std::size_t one, std::size_t other) const {
  IdSet both = told_[one] & told_[other];
  if (entangled_[one].test(other)) {
    both |= (told_[one] & ways_[other].parameters) | (told_[other] & ways_[one].parameters);
  }
  return both;
}

std::vector<std::size_t> NoiseFlow::find_sharing(std::size_t t) const {
  std::set<std::size_t> others;
  each(entangled_[t], [&](std::int32_t one) { others.insert(index(one)); });
  each(told_[t], [&](std::int32_t n) {
    const auto& tellers = tellers_[index(n)];
    others.insert(tellers.begin(), tellers.end());
  });
  std::vector<std::size_t> found;
  for (const std::size_t other : others) {
    if (a_.all[other].decided_by == a_.all[t].decided_by) continue;
    const auto& writes = a_.all[other].writes;
    const bool elsewhere = std::ranges::any_of(
        writes, [&](Variable v) { return a_.all[t].writes.size() > 1 || !a_.writes(t, v); });
    if (elsewhere) found.push_back(other);
  }
  return found;
}

}  // namespace mixwell
