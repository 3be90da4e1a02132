// Rules about what the parameters and laws of an update depend on.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

/// A leaf of one input of an operation in a transition.
struct Reading {
  const OperationInfo& who;
  const Input& input;
  Value leaf;
};

class ParameterRules : OneTransition {
 public:
  using OneTransition::OneTransition;

  Verdict judge() {
    Verdict v = fine(Rule::invariance, "no parameter depends on an updated variable");
    for (const auto& [who, input] : a_.inputs(t_)) {
      if (a_.is_of_another_branch(*who, input.value)) {
        join(v, of_another_branch(*who, input.value, input.value));
      }
      if (input.role == Role::law_at_proposal) join(v, mirrored(*who, input.value));
      if (is_judged(input)) join(v, leaves(*who, input));
    }
    return v;
  }

 private:
  bool is_uncorrected(const OperationInfo& who) const {
    return &who == &who_ && a_.is_uncorrected(t_);
  }

  bool is_judged(const Input& input) const {
    if (input.role == Role::evaluation) return !is_evaluation(input.value);
    if (input.role == Role::state) return is_bystander(input.value);
    return is_parameter(input.role) && input.role != Role::law_at_proposal;
  }

  /// The version is read as a state but not replaced, so the outcome depends on it as on a
  /// parameter.
  bool is_bystander(Value state) const {
    return a_.is_version(state) && !a_.is_state_of(t_, a_.graph[state].variable);
  }

  /// An operation outside a branch reads a value that the branch made. In columns that chose
  /// another branch, this value is from an earlier sweep.
  Verdict of_another_branch(const OperationInfo& who, Value made, Value read) const {
    return biased(
        Rule::branch, true,
        fmt::format("`{}` is made in one branch of a mixture, but is read outside this branch. "
                    "Replicates that chose another branch then read a value from an earlier sweep",
                    a_.graph[made].name),
        {a_.graph[made].name, who.name, a_.graph[read].name});
  }

  /// Checks the values from which the history was made: an operation outside a branch may read a
  /// value that the branch made.
  std::optional<Verdict> learnt_outside_a_branch(const Reading& r, Variable history) const {
    for (const Variable one : a_.behind(history)) {
      if (!a_.is(one, VariableKind::history)) continue;
      for (const std::size_t t : a_.writers[index(one)]) {
        for (const Input& input : a_.info(t).inputs) {
          if (!a_.is_of_another_branch(a_.info(t), input.value)) continue;
          return of_another_branch(a_.info(t), input.value, r.leaf);
        }
      }
    }
    return std::nullopt;
  }

  /// Rule U: an unbiased law has the right mean gradient for all values of its parameters. Without
  /// Metropolis, only the mean gradient matters in the limit.
  bool is_unbiased(const OperationInfo& who, const Input& input) const {
    const OperationInfo* const by = a_.maker(input.value);
    return input.role == Role::law && is_uncorrected(who) && by != nullptr && by->traits.unbiased;
  }

  bool moves(Value version) const { return a_.moves(t_, a_.graph[version].variable); }

  /// The rest of the position is not an ordinary parameter: the law is the density of these parts
  /// given the rest.
  bool is_another_part(Value leaf) const {
    if (!a_.is_version(leaf) || moves(leaf)) return false;
    const std::string& position = a_.graph[a_.graph[leaf].variable].position;
    return !position.empty() && std::ranges::any_of(a_.all[t_].writes, [&](Variable w) {
      return a_.graph[w].position == position;
    });
  }

  /// Whether a value is an evaluation of a law at a version, or an evaluation that a move of this
  /// transition returns with its proposal. Any other number in this role is an ordinary parameter.
  bool is_evaluation(Value v) const {
    return a_.graph[v].evaluated_law || contains(a_.all[t_].moves, a_.graph[v].producer);
  }

  Verdict leaves(const OperationInfo& who, const Input& input) {
    Verdict v =
        fine(Rule::invariance,
             "each input is a constant, fresh noise, or the current value of another variable");
    const bool unbiased = is_unbiased(who, input);
    std::map<Rule, std::vector<Premise>> harmless;
    each(a_.leaves(input.value), [&](std::int32_t id) {
      const Value leaf{id};
      const Premise premise = a_.premise(t_, who, input.role, leaf);
      const bool is_exempt = unbiased && !is_another_part(leaf);
      auto found = is_exempt ? std::nullopt : judge_leaf({who, input, leaf});
      if (!found) {
        return harmless[is_exempt ? Rule::unbiased : rule_that_permits(premise, leaf)].push_back(
            premise);
      }
      found->premises = {premise};
      join(v, *found);
    });
    for (auto& [rule, premises] : harmless) {
      Verdict part = fine(rule, why_harmless(rule));
      part.premises = std::move(premises);
      join(v, part);
    }
    return v;
  }

  Rule rule_that_permits(const Premise& p, Value leaf) const {
    if (p.standing == "still") return Rule::still_register;
    const bool is_old = p.standing == "past" || p.standing == "replaced" || p.standing == "stale";
    if (is_old && !p.feeds_back) return Rule::uninfluenced;
    const bool is_own_law = a_.is_version(leaf) && moves(leaf) && p.role == to_string(Role::law);
    return is_own_law ? Rule::mirrored_law : Rule::invariance;
  }

  static const char* why_harmless(Rule rule) {
    switch (rule) {
      case Rule::still_register:
        return "nothing writes the history in this phase";
      case Rule::uninfluenced:
        return "the update cannot influence the past values that it reads";
      case Rule::mirrored_law:
        return "the acceptance ratio accounts for the dependence on the state";
      case Rule::unbiased:
        return "the law of the update is unbiased for all values of its parameters";
      default:
        return "each input is a constant, fresh noise, or the current value of another variable";
    }
  }

  std::optional<Verdict> judge_leaf(const Reading& r) {
    const ValueInfo& v = a_.graph[r.leaf];
    if (v.kind == ValueKind::constant || v.kind == ValueKind::noise) return std::nullopt;
    if (v.kind == ValueKind::derived) return statistic(r);
    if (a_.is(v.variable, VariableKind::history)) return history(r, v.variable);
    if (a_.is(v.variable, VariableKind::joined)) return joined(r);
    if (a_.is(v.variable, VariableKind::trial)) return trial(r, v.variable);
    if (a_.is_state_of(t_, v.variable) && !a_.is_drawn_anew_since(t_, r.leaf)) {
      if (is_parameter_of_a_redraw(r)) return std::nullopt;
      return own(r, "the updated variable's own value");
    }
    if (a_.is(v.variable, VariableKind::auxiliary)) {
      const Verdict read = judge_read_auxiliary(a_, t_, r.leaf);
      if (read.accuracy == Accuracy::none) return read;
    }
    const bool is_stale = is_law_of_the_rest(r) || (is_out_of_date(r) && a_.mutual(t_, v.variable));
    return is_stale ? std::optional(stale(r, v.variable)) : std::nullopt;
  }

  /// A full redraw from a law does not depend on the previous value, for all values of its
  /// parameters.
  bool is_parameter_of_a_redraw(const Reading& r) const {
    const bool is_law = r.input.role == Role::law || r.input.role == Role::law_at_proposal;
    return !is_law && redraws(r.who, {}) && r.who.traits.keeps_law;
  }

  /// The leaves of the law of an auxiliary are read when the auxiliary is drawn, so no order of the
  /// updates makes these leaves current again.
  bool is_out_of_date(const Reading& r) const {
    if (a_.cones.depends(r.input.value, r.leaf)) return a_.staleness.is_stale(r.leaf, t_);
    return a_.staleness.is_replaced(r.leaf, t_);
  }

  /// A law of one part of the position given an already replaced value of another part. The update
  /// leaves invariant the conditional density given the old value, not given the current value,
  /// even if the two parts do not influence each other.
  bool is_law_of_the_rest(const Reading& r) const {
    const bool is_law = r.input.role == Role::law || r.input.role == Role::law_at_proposal;
    return is_law && is_another_part(r.leaf) && a_.staleness.is_replaced(r.leaf, t_);
  }

  Verdict biased_by(const Reading& r, Rule rule, bool proved, std::string reason) const {
    return biased(rule, proved, std::move(reason), a_.path(r.leaf, r.input.value));
  }

  Verdict asymptotic(const Reading& r, Rule rule, std::string reason) const {
    Verdict v = biased_by(r, rule, true, std::move(reason));
    v.accuracy = Accuracy::asymptotic;
    v.order = 1;
    return v;
  }

  /// Adds the path of influence from the updated variables to the variable that is read.
  Verdict with_feedback(Verdict v, Variable to) const {
    for (const Variable from : a_.all[t_].writes) {
      v.feedback = a_.influence.path(from, to);
      if (!v.feedback.empty()) break;
    }
    return v;
  }

  std::optional<Verdict> own(const Reading& r, const char* what) {
    if (r.input.role == Role::law && accounts_for(r.input.value)) return std::nullopt;
    if (const OperationInfo* gamma = total_drift_correction(r)) {
      Verdict v = asymptotic(r, Rule::drift_correction,
                             fmt::format("a parameter depends on {}, and the drift includes the "
                                         "complete correction for this dependence",
                                         what));
      v = assuming(a_, cited(std::move(v), "Ma, Chen & Fox 2015, NIPS, theorem 1"), *gamma,
                   "total");
      return assuming(a_, std::move(v), *a_.maker(input_of(r.who, Role::drift)), "continuous");
    }
    return biased_by(r, Rule::own_value, true,
                     fmt::format("a parameter depends on {}, and neither the acceptance ratio nor "
                                 "a drift correction accounts for this dependence",
                                 what));
  }

  bool accounts_for(Value law) const {
    return reads(who_, Role::law_at_proposal, [&](Value v) { return mirrors(a_, t_, law, v); });
  }

  Verdict mirrored(const OperationInfo& who, Value at_proposal) const {
    if (reads(who, Role::law, [&](Value law) { return mirrors(a_, t_, law, at_proposal); }))
      return fine(Rule::mirrored_law,
                  "the acceptance ratio accounts for parameters that depend on the state",
                  "Hastings 1970, Biometrika 57");
    return mixwell::biased(Rule::mirrored_law, who.name, true,
                           "`law_at_proposal` is not the law that the update would have with the "
                           "proposal as its state. The same operations must make both laws",
                           {a_.graph[at_proposal].name});
  }

  /// The operation that makes the Gamma in the drift of an uncorrected move, if Gamma belongs to
  /// the same matrix as the drift. Gamma only covers a dependence that enters through this matrix.
  /// It does not cover the step size, the number of steps, the friction, or the choice of a branch.
  /// The matrix must be continuous, because the divergence is not a function where the matrix
  /// jumps.
  const OperationInfo* total_drift_correction(const Reading& r) const {
    const Value gamma = input_of(r.who, Role::drift_correction);
    const Value drift = input_of(r.who, Role::drift);
    if (!is_uncorrected(r.who) || !gamma || !drift) return nullptr;
    const bool by_the_matrix = r.input.value == drift || r.input.value == gamma;
    const OperationInfo* const correction = a_.maker(gamma);
    const OperationInfo* const matrix = a_.maker(drift);
    if (correction == nullptr || matrix == nullptr || !by_the_matrix) return nullptr;
    const bool of_drift =
        std::ranges::any_of(correction->inputs, [&](const Input& i) { return i.value == drift; });
    const bool holds = correction->traits.total && matrix->traits.continuous && of_drift;
    return holds ? correction : nullptr;
  }

  /// A gathered version is judged by what it copies.
  std::optional<Verdict> joined(const Reading& r) const {
    if (is_gathered(a_.graph, r.leaf)) return std::nullopt;
    return biased_by(r, Rule::invariance, false,
                     "a parameter is computed from the joint copy of several slots after an update "
                     "changed this copy. Compute it from the slots themselves");
  }

  /// Like a history (rule P), a proposal or a statistic of another update is harmless if the
  /// updated variables influence none of the values from which it was made.
  std::optional<Verdict> statistic(const Reading& r) const {
    const bool feeds_back = any(a_.cones.versions(r.leaf), [&](Value v) {
      const Variable one = a_.graph[v].variable;
      return a_.is_state_of(t_, one) || a_.mutual(t_, one);
    });
    if (!feeds_back) return std::nullopt;
    return biased_by(r, Rule::own_value, false,
                     "a parameter depends on this sweep's value of a proposal or statistic that "
                     "the update influences");
  }

  /// Whether an operation draws an auxiliary for the stage that moves the trial from `place`.
  bool draws_for_a_stage_at(Value place) const {
    if (who_.kind != OperationKind::refresh) return false;
    return std::ranges::any_of(a_.starters(place), [&](std::size_t s) {
      return a_.is_stage(s) &&
             std::ranges::any_of(who_.outputs, [&](Value v) { return a_.reads_as_state(s, v); });
    });
  }

  /// A copy is judged as the slot that it copies.
  std::optional<Verdict> trial(const Reading& r, Variable of) {
    if (is_gathered(a_.graph, r.leaf) || draws_for_a_stage_at(r.leaf)) return std::nullopt;
    if (a_.writes(t_, of)) return own(r, "the updated variable's own value");
    return biased_by(r, Rule::own_value, false,
                     "a parameter depends on the outcome of one of the proposal's stages");
  }

  /// Judges a dependence on earlier values. The dependence vanishes with eps if all steps are
  /// small.
  Verdict fading(const Reading& r, Rule rule, const char* what,
                 const std::vector<Variable>& seen) const {
    if (vanishes(r, seen)) return continuous(r, asymptotic(r, rule, what));
    return biased_by(r, rule, true, what);
  }

  Verdict stale(const Reading& r, Variable of) const {
    const char* what = "a parameter depends on a value that was replaced before this update";
    return with_feedback(fading(r, Rule::stale_value, what, {of}), of);
  }

  std::optional<Verdict> history(const Reading& r, Variable of) {
    if (auto found = learnt_outside_a_branch(r, of)) return found;
    if (!a_.is_written(of) || !a_.mutual(t_, of)) return std::nullopt;
    const Forgets how = forgets(of);
    if (how == Forgets::diminishing) return diminishing(r, of);
    if (how == Forgets::window) return window(r, of);
    return with_feedback(
        biased_by(r, Rule::learning, how != Forgets::unknown,
                  "the parameters change with the chain's own history and never settle"),
        of);
  }

  const OperationInfo& learner(Variable history) const {
    return a_.info(a_.writers[index(history)].front());
  }

  static std::string still_moves(const VariableInfo& history) {
    const std::string how =
        history.rate > 0.0 ? fmt::format("changes by about n^-{:g} in the n-th sweep", history.rate)
                           : std::string("declares no rate at which its changes decrease");
    return fmt::format(
        "`{}` {}. Until this history is frozen, it depends on the chain and biases the draws. The "
        "bias is largest in early draws. Freeze this history, or discard the first sweeps",
        history.name, how);
  }

  Verdict diminishing(const Reading& r, Variable history) const {
    Verdict v =
        biased_by(r, Rule::learning, true,
                  "parameters still change with the chain's own history, by ever smaller amounts");
    v.accuracy = Accuracy::exact;
    v.adaptive = true;
    v.citation = "Roberts & Rosenthal 2007, J. Appl. Probab. 44 (diminishing adaptation)";
    v.notes.push_back(still_moves(a_.graph[history]));
    return assuming(a_, std::move(v), learner(history),
                    fmt::format("`{}` diminishes", a_.graph[history].name));
  }

  /// A window of past values becomes the current value as eps -> 0.
  std::optional<Verdict> window(const Reading& r, Variable of) {
    const std::vector<Variable> seen = observed(of);
    if (std::ranges::any_of(seen, [&](Variable s) { return a_.moves(t_, s); }))
      return own_window(r, of, seen);
    Verdict v =
        fading(r, Rule::past_of_others,
               "this update influences other variables, and a parameter depends on their past "
               "values",
               seen);
    if (v.accuracy == Accuracy::none && !is_decided())
      v.citation =
          "counter-example: HAMCMC uses the latest moves of another slot as secant pairs. On U = "
          "sum theta_i^4 / 4 with d = 2, it gives E theta_i^2 = 0.58 to 0.72 instead of 0.676, "
          "depending on its parameter gamma";
    return with_feedback(std::move(v), of);
  }

  std::optional<Verdict> own_window(const Reading& r, Variable of,
                                    const std::vector<Variable>& seen) {
    auto v = own(r, "past values of the updated variable");
    if (!v) return v;
    if (v->accuracy == Accuracy::none) {
      if (is_decided())
        v->citation = "counter-example: on U = theta^4/4, QNHMC as published freezes near the mode";
      return with_feedback(std::move(*v), of);
    }
    if (all_local(seen)) return v;
    return with_feedback(
        biased_by(r, Rule::drift_correction, true,
                  "the drift correction accounts only for past values within one step of the "
                  "current value, but another update moves the variable further"),
        of);
  }

  /// Whether a ratio of laws decides on the update, as in QNHMC but not in HAMCMC.
  bool is_decided() const { return who_.kind == OperationKind::accept; }

  /// Slots whose values a history was made from.
  std::vector<Variable> observed(Variable history) const {
    std::vector<Variable> slots;
    for (const Variable one : a_.behind(history)) {
      if (a_.is(one, VariableKind::slot)) slots.push_back(one);
      const auto& parts = a_.graph[one].parts;
      slots.insert(slots.end(), parts.begin(), parts.end());
    }
    return slots;
  }

  /// If a history never forgets, a window over this history never forgets either.
  Forgets forgets(Variable history) const {
    Forgets worst = a_.graph[history].forgets;
    if (worst != Forgets::window) return worst;
    for (const Variable one : a_.behind(history)) {
      if (a_.is(one, VariableKind::history) && a_.is_written(one))
        worst = std::min(worst, a_.graph[one].forgets);
    }
    return worst;
  }

  /// The dependence on earlier values vanishes with eps if one-step schemes make small steps and
  /// the parameter is a continuous function of the variables that they move.
  bool vanishes(const Reading& r, const std::vector<Variable>& of) const {
    return is_local(t_) && is_continuous(r) && all_local(of);
  }

  /// Whether every update of these variables moves them by a small step.
  bool all_local(const std::vector<Variable>& variables) const {
    return std::ranges::all_of(variables, [&](Variable v) {
      return std::ranges::all_of(a_.writers[index(v)], [&](std::size_t t) { return is_local(t); });
    });
  }

  bool is_local(std::size_t t) const {
    if (a_.info(t).kind == OperationKind::refresh) return false;
    const auto parts = a_.parts(t);
    return std::ranges::all_of(parts, [](const OperationInfo* part) {
      return part->kind != OperationKind::move || part->traits.local;
    });
  }

  /// Whether every pure operation between the leaf and the parameter has a limit when the distances
  /// between its points vanish. Views and evaluations of laws have such a limit.
  bool is_continuous(const Reading& r) const {
    const auto between = operations_between(r);
    return std::ranges::all_of(between,
                               [](const OperationInfo* o) { return o->traits.continuous; });
  }

  Verdict continuous(const Reading& r, Verdict v) const {
    for (const OperationInfo* o : operations_between(r)) {
      v = assuming(a_, std::move(v), *o, "continuous");
    }
    return v;
  }

  /// The pure operations that have a body, without evaluations of laws.
  std::vector<const OperationInfo*> operations_between(const Reading& r) const {
    std::vector<const OperationInfo*> found;
    std::vector<Value> open{r.input.value};
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      if (v == r.leaf || !is_pure(a_.graph, v)) continue;
      const OperationInfo& by = a_.operation(a_.graph[v].producer);
      const bool counts = !a_.graph[v].evaluated_law && by.body;
      if (counts && !contains(found, &by)) found.push_back(&by);
      for (const Value source : sources(a_.graph, v)) {
        if (a_.cones.depends(source, r.leaf)) open.push_back(source);
      }
    }
    return found;
  }
};

}  // namespace

Verdict judge_parameters(const Analysis& a, std::size_t t) { return ParameterRules(a, t).judge(); }

}  // namespace mixwell
