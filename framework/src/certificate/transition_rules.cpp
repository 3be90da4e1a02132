// Rules about the operations of one update: refresh, move, accept.
// SPDX-License-Identifier: Apache-2.0
#include "certificate/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace mixwell {
namespace {

class TransitionRules : OneTransition {
 public:
  using OneTransition::OneTransition;

  Verdict judge() {
    switch (who_.kind) {
      case OperationKind::observe:
        return fine(Rule::still_register, "a register is no part of the target");
      case OperationKind::refresh:
        return joined(refresh(), curvatures());
      case OperationKind::accept:
        return joined(accept(), evaluations(), curvatures());
      case OperationKind::move:
        return joined(move(), evaluations(), curvatures());
      default:
        return biased(Rule::invariance, false, "no rule covers this kind of operation");
    }
  }

 private:
  Verdict refresh() const {
    if (!who_.traits.keeps_law) {
      return biased(Rule::invariance, false, "the refresh does not declare that it keeps its law");
    }
    return joined(assuming(a_, fine(Rule::invariance, "drawn from its law"), who_, "keeps_law"),
                  judge_auxiliaries(a_, t_));
  }

  Verdict accept() {
    Verdict v = fine(Rule::invariance,
                     "reversible, volume-preserving proposal with Metropolis on the exact law");
    if (a_.stages(t_).start) {
      join(v, judge_stages(a_, t_));
    } else if (a_.all[t_].moves.empty()) {
      return biased(Rule::proposal, false, "the proposal does not come from a move");
    }
    for (const std::int32_t m : a_.all[t_].moves) join(v, proposal(a_.operation(m)));
    return joined(std::move(v), one_map(), judge_auxiliaries(a_, t_), noisy_ratio());
  }

  Verdict proposal(const OperationInfo& move) const {
    if (moves_normals(a_, move)) return proposed_normals(move);
    if (!move.traits.involution || !move.traits.volume) {
      return biased(
          Rule::invariance, false,
          fmt::format("`{}` does not declare a reversible map that preserves volume", move.name));
    }
    if (!starts_at_state(move)) {
      return biased(Rule::proposal, true,
                    "the proposal starts elsewhere than at the state it is compared with");
    }
    if (is_exchange(move)) return fine(Rule::invariance, "an exchange is its own inverse");
    return assuming(a_,
                    assuming(a_, fine(Rule::invariance, "a reversible map"), move, "involution"),
                    move, "volume");
  }

  /// Reversible for N(0, I), which is left out of the ratio with what it leads to.
  Verdict proposed_normals(const OperationInfo& move) const {
    if (!move.traits.keeps_law) {
      return biased(Rule::estimate, false,
                    fmt::format("`{}` does not declare that it keeps standard normals", move.name));
    }
    return assuming(a_, fine(Rule::estimate, "normals are proposed reversibly"), move, "keeps_law");
  }

  bool is_exchange(const OperationInfo& move) const {
    return std::ranges::all_of(move.outputs,
                               [&](Value v) { return static_cast<bool>(a_.graph[v].storage); });
  }

  bool starts_at_state(const OperationInfo& move) const {
    const std::vector<Value> states = values_of(who_, Role::state);
    return !reads(move, Role::state,
                  [&](Value v) { return a_.is_version(v) && !contains(states, v); });
  }

  /// A proposal by several moves, each from where the one before it led, is one reversible map if
  /// they are the same in the other order.
  Verdict one_map() const {
    std::vector<const OperationInfo*> chain;
    for (const std::int32_t m : a_.all[t_].moves) {
      if (proposal_before(a_.operation(m))) chain.push_back(&a_.operation(m));
    }
    if (chain.empty()) return fine(Rule::proposal, "one move for each state");
    const OperationInfo* const first = a_.maker(proposal_before(*chain.back()));
    chain.push_back(first == nullptr ? chain.back() : first);
    for (std::size_t k = 0; k + k + 1 < chain.size(); ++k) {
      if (is_same_map(*chain[k], *chain[chain.size() - 1 - k])) continue;
      return biased(
          Rule::proposal, true,
          fmt::format("`{}` goes on from where `{}` led: two maps one after another are no "
                      "reversible map unless they are the same in the other order",
                      chain[k]->name, chain[chain.size() - 1 - k]->name));
    }
    return fine(Rule::proposal, "the moves are the same in the other order");
  }

  /// A proposal that a move starts from, or none.
  Value proposal_before(const OperationInfo& move) const {
    for (const Value state : values_of(move, Role::state))
      if (!a_.is_version(state)) return state;
    return {};
  }

  bool is_same_map(const OperationInfo& one, const OperationInfo& other) const {
    if (one.body != other.body || one.inputs.size() != other.inputs.size()) return false;
    for (std::size_t k = 0; k < one.inputs.size(); ++k) {
      const Input& a = one.inputs[k];
      const Input& b = other.inputs[k];
      const bool is_place = a.role == Role::state || a.role == Role::evaluation;
      const bool is_noise = a_.graph[a.value].kind == ValueKind::noise;
      if (a.role != b.role || (!is_place && !is_noise && a.value != b.value)) return false;
    }
    return true;
  }

  /// Laws of the target, with noises behind each.
  std::vector<std::pair<Value, IdSet>> noisy_laws() const {
    std::vector<std::pair<Value, IdSet>> found;
    for (const Value law : a_.target_laws(who_)) {
      IdSet noises = a_.noises_behind(law);
      if (noises.any()) found.emplace_back(law, std::move(noises));
    }
    return found;
  }

  std::vector<std::string> path(const IdSet& noises, Value law) const {
    return a_.cones.path(Value{static_cast<std::int32_t>(noises.find_first())}, law);
  }

  /// What a stage keeps is judged where the proposal is decided.
  Verdict noisy_ratio() const {
    Verdict v = fine(Rule::invariance, "the ratio is exact");
    if (a_.is_stage(t_)) return v;
    for (const auto& [law, noises] : noisy_laws()) {
      if (!has_exact_potential(law)) {
        return biased(Rule::scheme, true, "the acceptance ratio uses a noisy law",
                      path(noises, law));
      }
      v = assuming(a_, std::move(v), *a_.maker(law), "exact_potential");
    }
    return v;
  }

  bool has_exact_potential(Value law) const {
    const OperationInfo* const by = a_.maker(law);
    return by != nullptr && by->traits.exact_potential;
  }

  /// What is kept at every fixed noise is the noisy law itself, another one in every sweep.
  Verdict noiseless() const {
    const auto noisy = noisy_laws();
    if (noisy.empty()) return fine(Rule::invariance, "the law is the same in every sweep");
    const auto& [law, noises] = noisy.front();
    return biased(Rule::scheme, !has_exact_potential(law),
                  "a move that keeps its law at every fixed parameter, and a law that is noisy",
                  path(noises, law));
  }

  Verdict move() {
    if (who_.traits.optimises) {
      Verdict v =
          biased(Rule::optimiser, true, "an optimiser: it seeks a mode and does not sample");
      v.optimiser = true;
      return v;
    }
    if (who_.traits.invariant) return opaque(*who_.traits.invariant);
    if (who_.traits.order == 0) {
      return biased(Rule::invariance, false,
                    "the move declares neither that it keeps its law nor an order");
    }
    return uncorrected();
  }

  Verdict opaque(bool invariant) const {
    if (invariant) {
      Verdict v = assuming(a_, fine(Rule::invariance, "declared invariant"), who_, "invariant");
      v.declared = v.assumes;  // whoever states it: no contract can test it
      return joined(std::move(v), judge_auxiliaries(a_, t_), noiseless());
    }
    return assuming(
        a_, biased(Rule::invariance, true, "the kernel declares that it does not keep its law"),
        who_, "not invariant");
  }

  /// A step of a scheme whose error nothing corrects.
  Verdict uncorrected() const {
    const bool noisy = a_.noises_behind(input_of(who_, Role::law)).any();
    Verdict v = scheme(noisy);
    for (const Value factor : factors())
      v = resting_on(a_, std::move(v), factor, "gradient_growth");
    join(v, limit());
    join(v, bounds());
    for (const Value auxiliary : a_.auxiliaries(who_)) join(v, heat(auxiliary, noisy));
    join(v, judge_auxiliaries(a_, t_));
    return v;
  }

  Verdict heat(Value auxiliary, bool noisy) const {
    if (a_.is_fresh(who_, auxiliary)) return between_redraws();
    const OperationInfo* const by = a_.refresh_of(auxiliary);
    const bool renewed = by != nullptr && by->traits.renews;
    if (!noisy || renewed || input_of(who_, Role::friction)) return Verdict{};
    return biased(Rule::auxiliary, true,
                  "gradient noise without friction and without fresh momentum");
  }

  /// Displacements of one step from a fresh momentum have variance eps^2, and the drift that keeps
  /// pi beside them is of order eps^2 too: a scheme of order 1 does not have it.
  Verdict between_redraws() const {
    if (!who_.traits.local || who_.traits.order > 1)
      return fine(Rule::scheme, "the scheme is right between two redraws of the momentum");
    return biased(Rule::scheme, true,
                  "one step of a scheme of order 1 with a momentum drawn anew each time: the error "
                  "does not vanish with eps; take more steps, or carry the momentum");
  }

  Verdict scheme(bool noisy) const {
    if (input_of(who_, Role::position_coupling) != input_of(who_, Role::momentum_coupling) ||
        input_of(who_, Role::drift) != input_of(who_, Role::diffusion)) {
      return biased(Rule::scheme, true, "the two sides of the dynamics use different matrices");
    }
    Verdict v = fine(Rule::scheme,
                     noisy ? "no Metropolis step, and noise in the gradient: an error remains "
                             "in the draws"
                           : "no Metropolis step: the error of the scheme remains in the "
                             "draws");
    v.accuracy = Accuracy::asymptotic;
    v.order = noisy ? 1 : who_.traits.order;
    v.nodes = {who_.name};
    v.citation = noisy ? "Vollmer, Zygalakis & Teh 2016, JMLR 17"
                       : "Mattingly, Stuart & Tretyakov 2010, SIAM J. Numer. Anal. 48";
    return assuming(a_, std::move(v), who_, "order", who_.traits.order);
  }

  std::vector<Value> factors() const {
    std::vector<Value> found;
    for (const Value law : a_.target_laws(who_))
      for (const Value factor : a_.factors_of(law)) found.push_back(factor);
    return found;
  }

  GradientGrowth growth_of_laws() const {
    GradientGrowth worst = GradientGrowth::lipschitz;
    for (const Value factor : factors()) {
      const auto* law = dynamic_cast<const Potential*>(a_.graph[factor].function.get());
      if (law != nullptr) worst = std::max(worst, law->gradient_growth());
    }
    return worst;
  }

  /// Those that it reads, itself or in the law of an auxiliary.
  template <class Visit>
  void each_curvature(const Visit& visit) const {
    const auto look = [&](const Input& input) {
      if (is_curvature(input.value)) visit(input.value);
    };
    for (const auto& [part, input] : a_.inputs(t_)) {
      look(input);
      const OperationInfo* const made_by = a_.maker(input.value);
      if (input.role != Role::law || made_by == nullptr) continue;
      for (const Input& behind : made_by->inputs) look(behind);
    }
  }

  /// H, S and C of a curvature are those of one matrix.
  Verdict curvatures() const {
    Verdict v = fine(Rule::invariance, "curvatures are what they say");
    each_curvature([&](Value one) { v = resting_on(a_, std::move(v), one, "curvature"); });
    return v;
  }

  /// Steps are small with eps only where what they are scaled by has a bound.
  Verdict bounds() const {
    Verdict v = fine(Rule::bound, "what scales a step has a bound");
    each_curvature([&](Value one) { join(v, bounded(one)); });
    for (const auto& [part, input] : a_.inputs(t_)) {
      if (scales_a_step(input.role) && !is_curvature(input.value)) join(v, bounded(input.value));
    }
    return v;
  }

  static bool scales_a_step(Role role) {
    constexpr std::array scales = {Role::parameter,         Role::friction, Role::position_coupling,
                                   Role::momentum_coupling, Role::drift,    Role::diffusion};
    return contains(scales, role);
  }

  /// What is read from a register is as bounded as rule 4 supposes it to be.
  Verdict bounded(Value scale) const {
    const OperationInfo* const made_by = a_.maker(scale);
    if (made_by == nullptr || !follows_slots(scale))
      return fine(Rule::bound, "a constant, or learnt");
    switch (made_by->traits.bound) {
      case Bound::global:
        return assuming(a_, fine(Rule::bound, "it has a bound"), *made_by, "bound");
      case Bound::local:
        return assuming(a_, in_law(Rule::bound, "what scales a step has no bound far out"),
                        *made_by, "bound");
      case Bound::unknown:
        break;
    }
    const std::string& name = a_.graph[scale].name;
    return biased(Rule::bound, false,
                  fmt::format("`{}` follows the state, and no bound of it is known: however small "
                              "eps is, some steps can be long; {}",
                              name,
                              is_curvature(scale)
                                  ? "give the curvature's limits (`eigenvalues = [low, high]`)"
                                  : "declare Traits::bound of what makes it"),
                  {name});
  }

  bool is_curvature(Value v) const {
    return dynamic_cast<const Representation*>(a_.graph[v].function.get()) != nullptr;
  }

  /// Whether it changes with positions, now or as they were.
  bool follows_slots(Value v) const {
    return any(a_.cones.leaves(v),
               [&](Value leaf) { return a_.is_version(leaf) && !a_.is_still(leaf); });
  }

  /// What eps -> 0 proves of a target whose gradient grows so.
  Verdict limit() const {
    switch (growth_of_laws()) {
      case GradientGrowth::lipschitz:
        return fine(Rule::growth, "the gradient grows no faster than linearly");
      case GradientGrowth::locally_lipschitz:
        return in_law(Rule::growth, "the gradient grows faster than linearly");
      case GradientGrowth::singular:
        return biased(Rule::growth, false,
                      "the gradient has no bound, or the support ends, where a step can lead: no "
                      "order of the scheme is known there");
      case GradientGrowth::undeclared:
        break;
    }
    return biased(Rule::growth, false,
                  "the model does not declare how its gradient grows, and without Metropolis all "
                  "rests on it; declare Model::gradient_growth");
  }

  Verdict in_law(Rule rule, const std::string& growth) const {
    Verdict v =
        fine(rule, fmt::format("right in law at a fixed time as eps -> 0; {}, so that at a "
                               "finite step there may be no stationary law, and moments may not "
                               "exist",
                               growth));
    v.accuracy = Accuracy::asymptotic;
    v.order = who_.traits.order;
    v.notes.push_back(v.reason);
    v.citation =
        "Roberts & Tweedie 1996, Bernoulli 2; "
        "Hutzenthaler, Jentzen & Kloeden 2011, Proc. R. Soc. A 467";
    return v;
  }

  /// A cached (u, g) must be that of a law of the operation, at its own state or proposal.
  Verdict evaluations() const {
    for (const auto& [part, input] : a_.inputs(t_)) {
      const ValueInfo& v = a_.graph[input.value];
      if (input.role != Role::evaluation || !v.evaluated_law) continue;
      const bool at_place = std::ranges::any_of(part->inputs, [&](const Input& i) {
        return (i.role == Role::state || i.role == Role::proposed) &&
               (i.value == v.evaluated_at || a_.is_copy(v.evaluated_at, i.value));
      });
      if (!has_law(*part, v.evaluated_law) || !at_place) {
        return biased(
            Rule::factor, true,
            fmt::format("`{}` was evaluated for another law or at another point", v.name));
      }
    }
    return fine(Rule::factor, "evaluations are current");
  }
};

}  // namespace

Verdict judge_transition(const Analysis& a, std::size_t t) { return TransitionRules(a, t).judge(); }

}  // namespace mixwell
