// Rule N: a noise may be behind the law or a parameter of an update, and behind anything else only
// where that is proved to do no harm.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/noise_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

class NoiseRules {
 public:
  NoiseRules(const Analysis& a, const NoiseFlow& flow, std::size_t t)
      : a_(a), flow_(flow), t_(t), ways_(flow.ways(t)), writer_(a.info(t)) {}

  Verdict judge() {
    Verdict v = fine(Rule::noise, "every noise is fresh where it is used");
    v.premises = noises();
    join(v, one_way_in());
    join(v, one_way_into_the_law());
    join(v, fresh_for_the_state());
    join(v, fresh_for_the_parameters());
    join(v, not_shared_by_feedback());
    join(v, not_shared_by_the_states());
    return v;
  }

 private:
  using Sharing = std::pair<std::size_t, std::size_t>;

  /// All that it uses, by the way they come in.
  std::vector<Premise> noises() const {
    std::vector<Premise> found;
    const auto add = [&](const char* way, const IdSet& noises) {
      each(noises, [&](std::int32_t n) {
        found.push_back({writer_.name, way, a_.graph[Value{n}].name, "noise", false});
      });
    };
    add("law", ways_.law);
    add("noise", ways_.own);
    add("refreshed", ways_.refreshed);
    add("parameter", ways_.parameters);
    return found;
  }

  std::string first_name(const IdSet& noises) const {
    return a_.graph[Value{static_cast<std::int32_t>(noises.find_first())}].name;
  }

  /// After a noise that two transitions share, where they share one without others between them.
  std::vector<std::string> with_shared(std::size_t one, std::size_t other,
                                       std::vector<std::string> rest) const {
    const IdSet both = flow_.shared(one, other);
    if (both.any()) rest.insert(rest.begin(), first_name(both));
    return rest;
  }

  bool is_uncorrected() const {
    return writer_.kind == OperationKind::move && !writer_.traits.invariant;
  }

  /// A noise that the outcome tells of comes in by one way alone. Without Metropolis a gradient
  /// whose noise the curvature shares has another mean than the gradient of U.
  Verdict one_way_in() const {
    const std::array<const IdSet*, 4> all{&ways_.law, &ways_.own, &ways_.refreshed,
                                          &ways_.parameters};
    const IdSet exposed = ways_.exposed();
    if (ways_.twice.any()) return two_ways(false, ways_.twice);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = i + 1; k < all.size(); ++k) {
        const IdSet both = *all[i] & *all[k] & exposed;
        if (both.none()) continue;
        return two_ways(is_uncorrected() && i == 0, both);
      }
    }
    return fine(Rule::noise, "each noise comes in by one way");
  }

  Verdict two_ways(bool by_the_gradient, const IdSet& noises) const {
    return biased(Rule::noise, writer_.name, by_the_gradient,
                  by_the_gradient ? "a parameter and the law share one noise"
                                  : "one noise comes into the update by two ways",
                  {first_name(noises), writer_.name});
  }

  /// That a law is unbiased is said of noises of their own in all that it is made from: a reference
  /// point that is drawn with the noise of the batch gives its difference another mean.
  Verdict one_way_into_the_law() const {
    if (!is_uncorrected()) return fine(Rule::noise, "nothing rests on a mean");
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Input& input : part->inputs) {
        if (input.role != Role::law) continue;
        const IdSet twice = noises_that_enter_twice(input.value);
        if (twice.none()) continue;
        return biased(Rule::noise, writer_.name, false,
                      "one noise enters by two ways into a law that is declared unbiased",
                      {first_name(twice), a_.graph[input.value].name});
      }
    }
    return fine(Rule::noise, "each noise comes into the law by one way");
  }

  /// Along the operations that a law was made by, one after another.
  IdSet noises_that_enter_twice(Value law) const {
    IdSet seen(a_.graph.values().size());
    IdSet twice(seen.size());
    for (; law && a_.graph[law].producer >= 0; law = a_.law_before(law)) {
      const OperationInfo& made_by = a_.operation(a_.graph[law].producer);
      for (const Input& input : made_by.inputs) {
        if (input.role == Role::law) continue;
        const IdSet noises = a_.noises_behind(input.value);
        twice |= seen & noises;
        seen |= noises;
      }
    }
    return twice;
  }

  /// What the update does with a noise is right given a state that does not know it.
  Verdict fresh_for_the_state() const {
    const IdSet used = ways_.used();
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Input& input : states_of(*part)) {
        if (a_.graph[input.value].kind != ValueKind::version) continue;
        if (is_drawn_for_it(*part, input.value)) continue;
        const IdSet both = known_beside_the_redraw(input.value) & used;
        if (both.none()) continue;
        return biased(Rule::noise, writer_.name, true,
                      "the state was moved with a noise that this update uses again",
                      {first_name(both), a_.graph[input.value].name});
      }
    }
    return fine(Rule::noise, "the state does not know the noise");
  }

  /// A refresh replaces what was drawn before, or leaves it as it is, for another update.
  bool is_drawn_for_it(const OperationInfo& part, Value state) const {
    return writer_.kind != OperationKind::refresh && is_fresh_auxiliary(a_, part, state);
  }

  /// With those that a guard may leave as they are.
  std::vector<Input> states_of(const OperationInfo& who) const {
    std::vector<Input> found;
    for (const Input& input : who.inputs) {
      if (input.role == Role::state) found.push_back(input);
    }
    for (const Value out : who.outputs) {
      const Value before = a_.graph[out].replaces;
      if (who.guard && before) found.push_back({before, Role::state});
    }
    return found;
  }

  /// What drew a momentum in part, just before it is used, is used once. What its law was made from
  /// is a parameter of the update, too.
  IdSet known_beside_the_redraw(Value state) const {
    IdSet known = flow_.known(state);
    if (a_.graph[a_.graph[state].variable].kind == VariableKind::auxiliary) {
      for (const Value law : a_.auxiliary_laws(writer_)) known -= a_.noises_behind(law);
    }
    if (writer_.kind == OperationKind::refresh) return known;
    return known - noises_of_redraw(a_, state);
  }

  template <class Visit>
  void each_parameter_version(const Visit& visit) const {
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Input& input : part->inputs) {
        if (input.role == Role::proposed) continue;
        each(a_.leaves(input.value), [&](std::int32_t leaf) {
          const ValueInfo& v = a_.graph[Value{leaf}];
          if (v.kind == ValueKind::derived && !a_.is_made_by(t_, v.producer)) {
            visit(Value{leaf}, input.value);
          }
          if (v.kind != ValueKind::version || is_own_state(Value{leaf})) return;
          if (!is_own_trial(v.variable)) visit(Value{leaf}, input.value);
        });
      }
    }
  }

  bool is_own_state(Value version) const {
    return a_.is_state_of(t_, a_.graph[version].variable) && !a_.is_drawn_anew_since(t_, version);
  }

  /// Whether it is what the stages of this proposal move.
  bool is_own_trial(Variable v) const {
    return a_.graph[v].kind == VariableKind::trial && a_.moves(t_, a_.graph[v].parts.front());
  }

  /// A noise that is reversed or judged with the move must be independent of what the move is made
  /// with.
  Verdict fresh_for_the_parameters() const {
    std::optional<Verdict> found;
    const IdSet exposed = ways_.exposed();
    each_parameter_version([&](Value version, Value input) {
      const IdSet both = flow_.known(version) & exposed;
      if (found || both.none()) return;
      found = biased(Rule::noise, writer_.name, is_uncorrected() && observed(version, both),
                     "a parameter knows a noise that this update uses",
                     {first_name(both), a_.graph[version].name, a_.graph[input].name});
      found->premises = {a_.premise(t_, writer_, Role::parameter, version)};
    });
    return found.value_or(fine(Rule::noise, "no parameter knows the noise"));
  }

  /// Whether a register took in the noise itself in this sweep: no average over it remains.
  bool observed(Value version, const IdSet& noises) const {
    const std::int32_t producer = a_.graph[version].producer;
    for (std::size_t t = 0; t < a_.all.size(); ++t) {
      if (a_.all[t].operation != producer) continue;
      return a_.info(t).kind == OperationKind::observe && flow_.ways(t).told().intersects(noises);
    }
    return false;
  }

  /// What another variable was moved with, this one was moved with too, or one that it influences
  /// each other with: given a parameter from there the state has another law. A register that this
  /// update moves itself is judged as such.
  Verdict not_shared_by_feedback() const {
    const std::vector<Sharing> pairs = sharing_with_the_state();
    std::optional<Verdict> found;
    each_parameter_version([&](Value version, Value input) {
      if (found || pairs.empty() || is_own_register(version)) return;
      for (const auto& [one, other] : pairs) {
        if (!gets_to(other, version, one)) continue;
        found = biased(Rule::noise, writer_.name, false, shared_by(one, other),
                       with_shared(one, other, {a_.graph[version].name, a_.graph[input].name}));
        found->premises = {a_.premise(t_, writer_, Role::parameter, version)};
        return;
      }
    });
    return found.value_or(fine(Rule::noise, "no parameter comes from what shares a noise"));
  }

  /// Transitions that move what this update moves, each with another that shares a noise with it.
  std::vector<Sharing> sharing_with_the_state() const {
    std::vector<Sharing> pairs;
    for (std::size_t one = 0; one < a_.all.size(); ++one) {
      const auto& sharing = flow_.sharing(one);
      if (sharing.empty() || !moves_with(one)) continue;
      for (const std::size_t other : sharing) {
        if (!flow_.draws_for(other, one)) pairs.emplace_back(one, other);
      }
    }
    return pairs;
  }

  /// Another draw of an auxiliary of this update comes from those that wrote it, and tells of the
  /// states that they moved with it.
  bool gets_to(std::size_t other, Value version, std::size_t one) const {
    const ValueInfo& v = a_.graph[version];
    if (v.kind != ValueKind::version || !a_.is_state_of(t_, v.variable)) {
      return reaches(other, version, one);
    }
    const Value drawn = v.producer < 0 ? a_.graph[v.variable].current : version;
    const IdSet& reached = flow_.reached(one, other);
    const auto past = a_.since_redraw(drawn, {});
    return std::any_of(past.begin(), past.end(), [&](Value at) {
      const auto writer = a_.transition_of(a_.graph[at].producer);
      if (!writer || *writer == other) return writer.has_value();
      if (flow_.draws_for(one, other)) return false;
      const auto& writes = a_.all[*writer].writes;
      return std::any_of(writes.begin(), writes.end(), [&](Variable w) {
        return w != v.variable && reached.test(static_cast<std::size_t>(w.id));
      });
    });
  }

  bool is_own_register(Value version) const {
    const ValueInfo& v = a_.graph[version];
    return v.kind == ValueKind::version && a_.graph[v.variable].kind == VariableKind::history &&
           a_.mutual(t_, v.variable);
  }

  /// Whether `one` moves what this update moves, or a variable that that influences and is
  /// influenced by: both are one state, given all else.
  bool moves_with(std::size_t one) const {
    const auto& writes = a_.all[one].writes;
    return one == t_ || wrote_a_carried_state(one) ||
           std::any_of(writes.begin(), writes.end(), [&](Variable v) { return a_.mutual(t_, v); });
  }

  /// Whether `one` wrote an auxiliary in the sweep before that this update starts from.
  bool wrote_a_carried_state(std::size_t one) const {
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Input& input : states_of(*part)) {
        const ValueInfo& v = a_.graph[input.value];
        if (v.kind != ValueKind::version) continue;
        if (a_.graph[v.variable].kind != VariableKind::auxiliary) continue;
        if (a_.graph[a_.since_redraw(input.value, part->guard).back()].producer >= 0) continue;
        for (const Value at : a_.since_redraw(a_.graph[v.variable].current, part->guard)) {
          if (a_.transition_of(a_.graph[at].producer) == one) return true;
        }
      }
    }
    return false;
  }

  std::string shared_by(std::size_t one, std::size_t other) const {
    if (one == t_) {
      return fmt::format("`{}` uses the same noise, and a parameter comes from there",
                         a_.info(other).name);
    }
    return fmt::format(
        "`{}` and `{}` use the same noise: the one moves the state, and a parameter "
        "comes from the other",
        a_.info(one).name, a_.info(other).name);
  }

  /// An update of several slots, such as an exchange, takes their joint law for a product.
  Verdict not_shared_by_the_states() const {
    const std::set<std::int32_t> states = joint_states();
    for (std::size_t one = 0; states.size() > 1 && one < a_.all.size(); ++one) {
      if (!moves_a_state(one, states)) continue;
      for (const std::size_t other : flow_.sharing(one)) {
        if (!moves_a_state(other, states)) continue;
        if (flow_.draws_for(one, other) || flow_.draws_for(other, one)) continue;
        return biased(Rule::noise, writer_.name, false,
                      fmt::format("`{}` and `{}` use the same noise, so that the slots that are "
                                  "updated together are not independent",
                                  a_.info(one).name, a_.info(other).name),
                      with_shared(one, other, {}));
      }
    }
    return fine(Rule::noise, "what is updated together shares no noise");
  }

  /// The slots that are updated, and the auxiliaries beside them that are not redrawn for it.
  std::set<std::int32_t> joint_states() const {
    std::set<std::int32_t> found;
    for (const Variable v : a_.all[t_].writes) {
      if (a_.graph[v].kind == VariableKind::slot) found.insert(v.id);
    }
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Input& input : part->inputs) {
        const ValueInfo& v = a_.graph[input.value];
        if (input.role != Role::state || v.kind != ValueKind::version) continue;
        if (a_.graph[v.variable].kind != VariableKind::auxiliary) continue;
        if (!is_fresh_auxiliary(a_, *part, input.value)) found.insert(v.variable.id);
      }
    }
    return found;
  }

  /// Whether a transition moves one of these, or a slot that influences, and is influenced by, what
  /// is updated.
  bool moves_a_state(std::size_t t, const std::set<std::int32_t>& states) const {
    const auto& writes = a_.all[t].writes;
    return std::any_of(writes.begin(), writes.end(), [&](Variable v) {
      return states.contains(v.id) || (a_.graph[v].kind == VariableKind::slot && a_.mutual(t_, v));
    });
  }

  /// Whether what `t` writes gets there by another way than through what `beside` and its stages
  /// write.
  bool reaches(std::size_t t, Value read, std::size_t beside) const {
    const IdSet& reached = flow_.reached(beside, t);
    const auto is_reached = [&](Value version) {
      return reached.test(static_cast<std::size_t>(a_.graph[version].variable.id));
    };
    if (a_.graph[read].kind == ValueKind::version) return is_reached(read);
    if (a_.transition_of(a_.graph[read].producer) == t) return true;
    bool found = false;
    each(a_.cones.versions(read), [&](std::int32_t v) { found = found || is_reached(Value{v}); });
    return found;
  }

  const Analysis& a_;
  const NoiseFlow& flow_;
  std::size_t t_;
  const NoiseWays& ways_;
  const OperationInfo& writer_;
};

}  // namespace

Verdict judge_noise(const Analysis& a, const NoiseFlow& flow, std::size_t t) {
  return NoiseRules(a, flow, t).judge();
}

}  // namespace mixwell
