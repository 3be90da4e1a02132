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

class TransitionRules {
 public:
  TransitionRules(const Analysis& a, std::size_t t) : a_(a), t_(t), who_(a.info(t)) {}

  Verdict judge() {
    switch (who_.kind) {
      case OperationKind::observe:
        return fine(Rule::still_register, "a register is no part of the target");
      case OperationKind::refresh:
        return both(refresh(), curvatures());
      case OperationKind::accept:
        return both(both(accept(), evaluations()), curvatures());
      case OperationKind::move:
        return both(both(move(), evaluations()), curvatures());
      default:
        return biased(Rule::invariance, who_.name, false, "no rule covers this kind of operation");
    }
  }

 private:
  static Verdict both(Verdict a, const Verdict& b) {
    join(a, b);
    return a;
  }

  Verdict refresh() const {
    if (!who_.traits.keeps_law) {
      return biased(Rule::invariance, who_.name, false,
                    "the refresh does not declare that it keeps its law");
    }
    return both(assuming(a_, fine(Rule::invariance, "drawn from its law"), who_, "keeps_law"),
                judge_auxiliaries(a_, t_));
  }

  Verdict accept() {
    Verdict v = fine(Rule::invariance,
                     "reversible, volume-preserving proposal with Metropolis on the exact law");
    if (a_.stages(t_).start) {
      join(v, judge_stages(a_, t_));
    } else if (a_.all[t_].moves.empty()) {
      return biased(Rule::proposal, who_.name, false, "the proposal does not come from a move");
    }
    for (const std::int32_t m : a_.all[t_].moves) join(v, proposal(a_.operation(m)));
    join(v, one_map());
    join(v, judge_auxiliaries(a_, t_));
    join(v, noisy_ratio());
    return v;
  }

  Verdict proposal(const OperationInfo& move) const {
    if (moves_normals(a_, move)) return proposed_normals(move);
    if (!move.traits.involution || !move.traits.volume) {
      return biased(
          Rule::invariance, who_.name, false,
          fmt::format("`{}` does not declare a reversible map that preserves volume", move.name));
    }
    if (!starts_at_state(move)) {
      return biased(Rule::proposal, who_.name, true,
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
      return biased(Rule::estimate, who_.name, false,
                    fmt::format("`{}` does not declare that it keeps standard normals", move.name));
    }
    return assuming(a_, fine(Rule::estimate, "normals are proposed reversibly"), move, "keeps_law");
  }

  bool is_exchange(const OperationInfo& move) const {
    return std::all_of(move.outputs.begin(), move.outputs.end(),
                       [&](Value v) { return static_cast<bool>(a_.graph[v].storage); });
  }

  bool starts_at_state(const OperationInfo& move) const {
    const auto is_state = [&](Value v) {
      return std::any_of(who_.inputs.begin(), who_.inputs.end(),
                         [&](const Input& i) { return i.role == Role::state && i.value == v; });
    };
    return std::all_of(move.inputs.begin(), move.inputs.end(), [&](const Input& i) {
      return i.role != Role::state || a_.graph[i.value].kind != ValueKind::version ||
             is_state(i.value);
    });
  }

  template <class Visit>
  void each_auxiliary(const Visit& visit) const {
    for (const Input& input : who_.inputs) {
      const ValueInfo& v = a_.graph[input.value];
      if (input.role != Role::state || v.kind != ValueKind::version) continue;
      if (a_.graph[v.variable].kind == VariableKind::auxiliary) visit(v);
    }
  }

  /// The refresh of this sweep that a version comes from, or null.
  const OperationInfo* refreshed_by(const ValueInfo& version) const {
    if (version.producer < 0) return nullptr;
    const OperationInfo& by = a_.operation(version.producer);
    return by.kind == OperationKind::refresh ? &by : nullptr;
  }

  /// A proposal by several moves, each from where the one before it led, is one reversible map if
  /// they are the same in the other order.
  Verdict one_map() const {
    std::vector<const OperationInfo*> chain;
    for (const std::int32_t m : a_.all[t_].moves) {
      if (starts_at_a_proposal(a_.operation(m))) chain.push_back(&a_.operation(m));
    }
    if (chain.empty()) return fine(Rule::proposal, "one move for each state");
    chain.insert(chain.end(), first_of_chain(*chain.back()));
    for (std::size_t k = 0; k + k + 1 < chain.size(); ++k) {
      if (is_same_map(*chain[k], *chain[chain.size() - 1 - k])) continue;
      return biased(
          Rule::proposal, who_.name, true,
          fmt::format("`{}` goes on from where `{}` led: two maps one after another are no "
                      "reversible map unless they are the same in the other order",
                      chain[k]->name, chain[chain.size() - 1 - k]->name));
    }
    return fine(Rule::proposal, "the moves are the same in the other order");
  }

  bool starts_at_a_proposal(const OperationInfo& move) const {
    return std::any_of(move.inputs.begin(), move.inputs.end(), [&](const Input& i) {
      return i.role == Role::state && a_.graph[i.value].kind != ValueKind::version;
    });
  }

  /// The move that a chain begins with.
  const OperationInfo* first_of_chain(const OperationInfo& second) const {
    for (const Input& i : second.inputs) {
      const std::int32_t by = a_.graph[i.value].producer;
      if (i.role == Role::state && a_.graph[i.value].kind != ValueKind::version && by >= 0) {
        return &a_.operation(by);
      }
    }
    return &second;
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

  /// What a stage keeps is judged where the proposal is decided.
  Verdict noisy_ratio() const {
    Verdict v = fine(Rule::invariance, "the ratio is exact");
    if (a_.is_stage(t_)) return v;
    for (const Input& input : who_.inputs) {
      if (input.role != Role::law || a_.is_auxiliary_law(input)) continue;
      const IdSet found = a_.noises_behind(input.value);
      if (found.none()) continue;
      if (!has_exact_potential(input.value)) {
        return biased(
            Rule::scheme, who_.name, true, "the acceptance ratio uses a noisy law",
            a_.cones.path(Value{static_cast<std::int32_t>(found.find_first())}, input.value));
      }
      v = assuming(a_, std::move(v), a_.operation(a_.graph[input.value].producer),
                   "exact_potential");
    }
    return v;
  }

  bool has_exact_potential(Value law) const {
    const std::int32_t producer = a_.graph[law].producer;
    return producer >= 0 && a_.operation(producer).traits.exact_potential;
  }

  /// What is kept at every fixed noise is the noisy law itself, another one in every sweep.
  Verdict noiseless() const {
    for (const Input& input : who_.inputs) {
      if (input.role != Role::law || a_.is_auxiliary_law(input)) continue;
      const IdSet found = a_.noises_behind(input.value);
      if (found.none()) continue;
      return biased(
          Rule::scheme, who_.name, !has_exact_potential(input.value),
          "a move that keeps its law at every fixed parameter, and a law that is noisy",
          a_.cones.path(Value{static_cast<std::int32_t>(found.find_first())}, input.value));
    }
    return fine(Rule::invariance, "the law is the same in every sweep");
  }

  Verdict move() {
    if (who_.traits.optimises) {
      Verdict v = biased(Rule::optimiser, who_.name, true,
                         "an optimiser: it seeks a mode and does not sample");
      v.optimiser = true;
      return v;
    }
    if (who_.traits.invariant) return opaque(*who_.traits.invariant);
    if (who_.traits.order == 0) {
      return biased(Rule::invariance, who_.name, false,
                    "the move declares neither that it keeps its law nor an order");
    }
    return uncorrected();
  }

  Verdict opaque(bool invariant) const {
    if (invariant) {
      return both(
          both(assuming(a_, fine(Rule::invariance, "declared invariant"), who_, "invariant"),
               judge_auxiliaries(a_, t_)),
          noiseless());
    }
    return assuming(a_,
                    biased(Rule::invariance, who_.name, true,
                           "the kernel declares that it does not keep its law"),
                    who_, "not invariant");
  }

  /// A step of a scheme whose error nothing corrects.
  Verdict uncorrected() const {
    const bool noisy = a_.noises_behind(input_of(who_, Role::law)).any();
    Verdict v = scheme(noisy);
    each_factor([&](Value factor) { v = resting_on(a_, std::move(v), factor, "gradient_growth"); });
    join(v, limit());
    join(v, bounds());
    each_auxiliary([&](const ValueInfo& version) {
      const OperationInfo* by = refreshed_by(version);
      if (by != nullptr && redraws(*by, who_.guard)) {
        join(v, between_redraws());
        return;
      }
      const bool renewed = by != nullptr && by->traits.renews;
      if (noisy && !renewed && !input_of(who_, Role::friction)) {
        join(v, biased(Rule::auxiliary, who_.name, true,
                       "gradient noise without friction and without fresh momentum"));
      }
    });
    join(v, judge_auxiliaries(a_, t_));
    return v;
  }

  /// Displacements of one step from a fresh momentum have variance eps^2, and the drift that keeps
  /// pi beside them is of order eps^2 too: a scheme of order 1 does not have it.
  Verdict between_redraws() const {
    if (!who_.traits.local || who_.traits.order > 1)
      return fine(Rule::scheme, "the scheme is right between two redraws of the momentum");
    return biased(Rule::scheme, who_.name, true,
                  "one step of a scheme of order 1 with a momentum drawn anew each time: the error "
                  "does not vanish with eps; take more steps, or carry the momentum");
  }

  Verdict scheme(bool noisy) const {
    if (input_of(who_, Role::position_coupling) != input_of(who_, Role::momentum_coupling) ||
        input_of(who_, Role::drift) != input_of(who_, Role::diffusion)) {
      return biased(Rule::scheme, who_.name, true,
                    "the two sides of the dynamics use different matrices");
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
    return assuming(a_, std::move(v), who_, "order");
  }

  template <class Visit>
  void each_factor(const Visit& visit) const {
    for (const Input& input : who_.inputs) {
      if (input.role != Role::law || a_.is_auxiliary_law(input)) continue;
      for (const Value factor : a_.factors_of(input.value)) visit(factor);
    }
  }

  GradientGrowth growth_of_laws() const {
    GradientGrowth worst = GradientGrowth::lipschitz;
    each_factor([&](Value factor) {
      const auto* law = dynamic_cast<const Potential*>(a_.graph[factor].function.get());
      if (law != nullptr) worst = std::max(worst, law->gradient_growth());
    });
    return worst;
  }

  /// Those that it reads, itself or in the law of an auxiliary.
  template <class Visit>
  void each_curvature(const Visit& visit) const {
    const auto look = [&](const Input& input) {
      if (is_curvature(input.value)) visit(input.value);
    };
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Input& input : part->inputs) {
        look(input);
        const std::int32_t made_by = a_.graph[input.value].producer;
        if (input.role != Role::law || made_by < 0) continue;
        for (const Input& behind : a_.operation(made_by).inputs) look(behind);
      }
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
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Input& input : part->inputs) {
        if (scales_a_step(input.role) && !is_curvature(input.value)) join(v, bounded(input.value));
      }
    }
    return v;
  }

  static bool scales_a_step(Role role) {
    constexpr std::array scales = {Role::parameter,         Role::friction, Role::position_coupling,
                                   Role::momentum_coupling, Role::drift,    Role::diffusion};
    return std::find(scales.begin(), scales.end(), role) != scales.end();
  }

  /// What is read from a register is as bounded as rule 4 supposes it to be.
  Verdict bounded(Value scale) const {
    const std::int32_t producer = a_.graph[scale].producer;
    if (producer < 0 || !follows_slots(scale)) return fine(Rule::bound, "a constant, or learnt");
    const OperationInfo& made_by = a_.operation(producer);
    switch (made_by.traits.bound) {
      case Bound::global:
        return assuming(a_, fine(Rule::bound, "it has a bound"), made_by, "bound");
      case Bound::local:
        return assuming(a_, in_law(Rule::bound, "what scales a step has no bound far out"), made_by,
                        "bound");
      case Bound::unknown:
        break;
    }
    const std::string& name = a_.graph[scale].name;
    return biased(Rule::bound, who_.name, false,
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
    bool found = false;
    each(a_.cones.leaves(v), [&](std::int32_t leaf) {
      const ValueInfo& one = a_.graph[Value{leaf}];
      if (one.kind != ValueKind::version) return;
      const VariableKind kind = a_.graph[one.variable].kind;
      found = found || kind != VariableKind::history || a_.is_written(one.variable);
    });
    return found;
  }

  /// What eps -> 0 proves of a target whose gradient grows so.
  Verdict limit() const {
    switch (growth_of_laws()) {
      case GradientGrowth::lipschitz:
        return fine(Rule::growth, "the gradient grows no faster than linearly");
      case GradientGrowth::locally_lipschitz:
        return in_law(Rule::growth, "the gradient grows faster than linearly");
      case GradientGrowth::singular:
        return biased(Rule::growth, who_.name, false,
                      "the gradient has no bound, or the support ends, where a step can lead: no "
                      "order of the scheme is known there");
      case GradientGrowth::undeclared:
        break;
    }
    return biased(Rule::growth, who_.name, false,
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
    for (const OperationInfo* part : a_.parts(t_)) {
      for (const Input& input : part->inputs) {
        const ValueInfo& v = a_.graph[input.value];
        if (input.role != Role::evaluation || !v.evaluated_law) continue;
        const bool at_place =
            std::any_of(part->inputs.begin(), part->inputs.end(), [&](const Input& i) {
              return (i.role == Role::state || i.role == Role::proposed) &&
                     (i.value == v.evaluated_at || a_.is_copy(v.evaluated_at, i.value));
            });
        if (!has_law(*part, v.evaluated_law) || !at_place) {
          return biased(
              Rule::factor, who_.name, true,
              fmt::format("`{}` was evaluated for another law or at another point", v.name));
        }
      }
    }
    return fine(Rule::factor, "evaluations are current");
  }

  const Analysis& a_;
  std::size_t t_;
  const OperationInfo& who_;
};

}  // namespace

Verdict judge_transition(const Analysis& a, std::size_t t) { return TransitionRules(a, t).judge(); }

}  // namespace mixwell
