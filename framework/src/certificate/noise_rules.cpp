// Rule N checks how noise enters an update and its parameters, and whether updates share noise.
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

class NoiseRules : OneTransition {
 public:
  NoiseRules(const Analysis& a, const NoiseFlow& flow, std::size_t t)
      : OneTransition(a, t), flow_(flow), ways_(flow.ways(t)) {}

  Verdict judge() {
    Verdict v = fine(Rule::noise, "each noise value is fresh when an update uses it");
    v.premises = noises();
    return joined(std::move(v), one_way_in(), one_way_into_the_law(), fresh_for_the_state(),
                  fresh_for_the_parameters(), not_shared_by_feedback(), not_shared_by_the_states());
  }

 private:
  using Sharing = std::pair<std::size_t, std::size_t>;

  /// All noises that the update uses, grouped by the way in which they enter.
  std::vector<Premise> noises() const {
    std::vector<Premise> found;
    const auto add = [&](const char* way, const IdSet& noises) {
      each(noises, [&](std::int32_t n) {
        found.push_back({who_.name, way, a_.graph[Value{n}].name, "noise", false});
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

  /// Puts a noise that two transitions share directly in front, if there is one.
  std::vector<std::string> with_shared(std::size_t one, std::size_t other,
                                       std::vector<std::string> rest) const {
    const IdSet both = flow_.shared(one, other);
    if (both.any()) rest.insert(rest.begin(), first_name(both));
    return rest;
  }

  /// If the outcome depends on a noise, the noise must enter in only one way. For example, if a
  /// gradient shares its noise with the preconditioner of a move without Metropolis, its mean is
  /// not the gradient of U.
  Verdict one_way_in() const {
    const std::array<const IdSet*, 4> all{&ways_.law, &ways_.own, &ways_.refreshed,
                                          &ways_.parameters};
    const IdSet exposed = ways_.exposed();
    if (ways_.twice.any()) return two_ways(false, ways_.twice);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = i + 1; k < all.size(); ++k) {
        const IdSet both = *all[i] & *all[k] & exposed;
        if (both.none()) continue;
        return two_ways(a_.is_uncorrected(t_) && i == 0, both);
      }
    }
    return fine(Rule::noise, "each noise value enters the update in only one way");
  }

  Verdict two_ways(bool by_the_gradient, const IdSet& noises) const {
    return biased(Rule::noise, by_the_gradient,
                  by_the_gradient ? "the same noise enters both a parameter and the update's law"
                                  : "the same noise enters the update in two ways",
                  {first_name(noises), who_.name});
  }

  /// A law is unbiased only if all values from which it is made have different noises. For example,
  /// if a reference point is drawn with the noise of the batch, the mean of the difference changes.
  Verdict one_way_into_the_law() const {
    if (!a_.is_uncorrected(t_))
      return fine(Rule::noise, "the update does not need an unbiased law");
    for (const auto& [part, input] : a_.inputs(t_)) {
      if (input.role != Role::law) continue;
      const IdSet twice = noises_that_enter_twice(input.value);
      if (twice.none()) continue;
      return biased(Rule::noise, false,
                    "a law is declared unbiased, but the same noise enters this law in two ways",
                    {first_name(twice), a_.graph[input.value].name});
    }
    return fine(Rule::noise, "each noise value enters the law in only one way");
  }

  /// Follows the chain of operations that made a law.
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

  /// An update is right with a noise on which its state does not depend.
  Verdict fresh_for_the_state() const {
    const IdSet used = ways_.used();
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Value state : states_of(*part)) {
        if (is_drawn_for_it(*part, state)) continue;
        const IdSet both = known_beside_the_redraw(state) & used;
        if (both.none()) continue;
        return biased(Rule::noise, true,
                      "an earlier update moved the state with noise that this update uses again",
                      {first_name(both), a_.graph[state].name});
      }
    }
    return fine(Rule::noise, "the state does not depend on the noise of the update");
  }

  /// A refresh either replaces the earlier draw, or leaves it for another update.
  bool is_drawn_for_it(const OperationInfo& part, Value state) const {
    return who_.kind != OperationKind::refresh && a_.is_fresh(part, state);
  }

  /// The states of the update, and the versions that stay unchanged in columns where the guard does
  /// not let the update run.
  std::vector<Value> states_of(const OperationInfo& who) const {
    std::vector<Value> found = values_of(who, Role::state);
    std::erase_if(found, [&](Value v) { return !a_.is_version(v); });
    for (const Value out : who.outputs) {
      const Value before = a_.graph[out].replaces;
      if (who.guard && before) found.push_back(before);
    }
    return found;
  }

  /// A noise that drew part of a momentum just before the update is used only once. The law of the
  /// momentum is a parameter of the update.
  IdSet known_beside_the_redraw(Value state) const {
    IdSet known = flow_.known(state);
    if (a_.is(state, VariableKind::auxiliary)) {
      for (const Value law : a_.auxiliary_laws(who_)) known -= a_.noises_behind(law);
    }
    if (who_.kind == OperationKind::refresh) return known;
    return known - noises_of_redraw(a_, state);
  }

  template <class Visit>
  void each_parameter_version(const Visit& visit) const {
    for (const auto& [part, input] : a_.inputs(t_)) {
      if (input.role == Role::proposed) continue;
      each(a_.leaves(input.value), [&, read = input.value](std::int32_t leaf) {
        const ValueInfo& v = a_.graph[Value{leaf}];
        if (v.kind == ValueKind::derived && !a_.is_made_by(t_, v.producer)) {
          visit(Value{leaf}, read);
        }
        if (v.kind != ValueKind::version || is_own_state(Value{leaf})) return;
        if (!is_own_trial(v.variable)) visit(Value{leaf}, read);
      });
    }
  }

  bool is_own_state(Value version) const {
    return !redraws(who_, {}) && a_.is_state_of(t_, a_.graph[version].variable) &&
           !a_.is_drawn_anew_since(t_, version);
  }

  /// The version belongs to the trial of this proposal.
  bool is_own_trial(Variable v) const {
    return a_.is(v, VariableKind::trial) && a_.moves(t_, a_.graph[v].parts.front());
  }

  /// A noise that is reversed or judged together with the move must be independent of the move's
  /// parameters.
  Verdict fresh_for_the_parameters() const {
    std::optional<Verdict> found;
    const IdSet exposed = ways_.exposed();
    each_parameter_version([&](Value version, Value input) {
      const IdSet both = flow_.known(version) & exposed;
      if (found || both.none()) return;
      found = biased(Rule::noise, a_.is_uncorrected(t_) && observed(version, both),
                     "a parameter depends on noise that this update uses",
                     {first_name(both), a_.graph[version].name, a_.graph[input].name});
      found->premises = {a_.premise(t_, who_, Role::parameter, version)};
    });
    return found.value_or(fine(Rule::noise, "no parameter depends on the noise of the update"));
  }

  /// If a history reads the noise itself in this sweep, nothing averages over the noise.
  bool observed(Value version, const IdSet& noises) const {
    const auto t = a_.transition_of(a_.graph[version].producer);
    return t && a_.info(*t).kind == OperationKind::observe &&
           flow_.ways(*t).told().intersects(noises);
  }

  /// One noise moved another variable and either this variable or a variable in mutual influence
  /// with it. A parameter that comes from the other variable then changes the law of the state.
  /// Other rules judge a history in mutual influence with the update.
  Verdict not_shared_by_feedback() const {
    const std::vector<Sharing> pairs = sharing_with_the_state();
    std::optional<Verdict> found;
    each_parameter_version([&](Value version, Value input) {
      if (found || pairs.empty() || is_own_register(version)) return;
      for (const auto& [one, other] : pairs) {
        if (!gets_to(other, version, one)) continue;
        found = biased(Rule::noise, false, shared_by(one, other),
                       with_shared(one, other, {a_.graph[version].name, a_.graph[input].name}));
        found->premises = {a_.premise(t_, who_, Role::parameter, version)};
        return;
      }
    });
    return found.value_or(
        fine(Rule::noise,
             "no parameter depends on an update that shares noise with an update of the state"));
  }

  /// Transitions that move the same state as this update, each with a transition that shares a
  /// noise with it.
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

  /// Another draw of an auxiliary of this update depends on the transitions that wrote the
  /// auxiliary, and on the states that they moved with it.
  bool gets_to(std::size_t other, Value version, std::size_t one) const {
    const ValueInfo& v = a_.graph[version];
    if (v.kind != ValueKind::version || !a_.is_state_of(t_, v.variable)) {
      return reaches(other, version, one);
    }
    const Value drawn = v.producer < 0 ? a_.graph[v.variable].current : version;
    const IdSet& reached = flow_.reached(one, other);
    const auto past = a_.since_redraw(drawn, {});
    return std::ranges::any_of(past, [&](Value at) {
      const auto writer = a_.transition_of(a_.graph[at].producer);
      if (!writer || *writer == other) return writer.has_value();
      if (flow_.draws_for(one, other)) return false;
      const auto& writes = a_.all[*writer].writes;
      return std::ranges::any_of(
          writes, [&](Variable w) { return w != v.variable && reached.test(index(w)); });
    });
  }

  bool is_own_register(Value version) const {
    return a_.is(version, VariableKind::history) && a_.mutual(t_, a_.graph[version].variable);
  }

  /// Whether `one` moves a variable of this update, or one in mutual influence with it. Given
  /// everything else, the two variables are one state.
  bool moves_with(std::size_t one) const {
    return one == t_ || wrote_a_carried_state(one) ||
           std::ranges::any_of(a_.all[one].writes, [&](Variable v) { return a_.mutual(t_, v); });
  }

  /// `one` wrote an auxiliary in the last sweep, and this update starts from the auxiliary.
  bool wrote_a_carried_state(std::size_t one) const {
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Value state : states_of(*part)) {
        if (!a_.is(state, VariableKind::auxiliary)) continue;
        for (const Value at : a_.past(state, part->guard).before)
          if (a_.transition_of(a_.graph[at].producer) == one) return true;
      }
    }
    return false;
  }

  std::string shared_by(std::size_t one, std::size_t other) const {
    if (one == t_) {
      return fmt::format(
          "a parameter of this update depends on `{}`, which uses the same noise as this update",
          a_.info(other).name);
    }
    return fmt::format(
        "`{}` and `{}` use the same noise: the first moves the state, and a parameter of the "
        "update depends on the second",
        a_.info(one).name, a_.info(other).name);
  }

  /// An update of several slots, such as an exchange, assumes that they are independent.
  Verdict not_shared_by_the_states() const {
    const std::set<std::int32_t> states = joint_states();
    for (std::size_t one = 0; states.size() > 1 && one < a_.all.size(); ++one) {
      if (!moves_a_state(one, states)) continue;
      for (const std::size_t other : flow_.sharing(one)) {
        if (!moves_a_state(other, states)) continue;
        if (flow_.is_draw_for_other(one, other)) continue;
        return biased(Rule::noise, false,
                      fmt::format("`{}` and `{}` use the same noise, so the slots that are updated "
                                  "together are not independent",
                                  a_.info(one).name, a_.info(other).name),
                      with_shared(one, other, {}));
      }
    }
    return fine(Rule::noise, "slots that are updated together share no noise");
  }

  /// The slots that the transition updates, and the auxiliaries from which it starts and that are
  /// not redrawn.
  std::set<std::int32_t> joint_states() const {
    std::set<std::int32_t> found;
    for (const Variable v : a_.all[t_].writes)
      if (a_.is(v, VariableKind::slot)) found.insert(v.id);
    for (const OperationInfo* part : a_.parts(t_))
      for (const Value state : a_.auxiliaries(*part))
        if (!a_.is_fresh(*part, state)) found.insert(a_.graph[state].variable.id);
    return found;
  }

  /// Whether a transition moves one of these variables, or a slot in mutual influence with an
  /// updated variable.
  bool moves_a_state(std::size_t t, const std::set<std::int32_t>& states) const {
    return std::ranges::any_of(a_.all[t].writes, [&](Variable v) {
      return states.contains(v.id) || (a_.is(v, VariableKind::slot) && a_.mutual(t_, v));
    });
  }

  /// Whether a variable that `t` writes reaches `read` without passing through `beside` and its
  /// stages.
  bool reaches(std::size_t t, Value read, std::size_t beside) const {
    const IdSet& reached = flow_.reached(beside, t);
    const auto is_reached = [&](Value version) {
      return reached.test(index(a_.graph[version].variable));
    };
    if (a_.is_version(read)) return is_reached(read);
    if (a_.transition_of(a_.graph[read].producer) == t) return true;
    return any(a_.cones.versions(read), is_reached);
  }

  const NoiseFlow& flow_;
  const NoiseWays& ways_;
};

}  // namespace

Verdict judge_noise(const Analysis& a, const NoiseFlow& flow, std::size_t t) {
  return NoiseRules(a, flow, t).judge();
}

}  // namespace mixwell
