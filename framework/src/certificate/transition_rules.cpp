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
        return fine(Rule::still_register, "a history is not part of the target");
      case OperationKind::refresh:
        return joined(refresh(), preconditioners());
      case OperationKind::accept:
        return joined(accept(), evaluations(), preconditioners());
      case OperationKind::move:
        return joined(move(), evaluations(), preconditioners());
      default:
        return biased(Rule::invariance, false,
                      "no rule of the certificate covers this kind of operation");
    }
  }

 private:
  Verdict refresh() const {
    if (!who_.traits.keeps_law) {
      return biased(Rule::invariance, false,
                    "the refresh does not declare `keeps_law`, so nothing shows that it leaves its "
                    "target density invariant");
    }
    return joined(
        assuming(a_, fine(Rule::invariance, "the value is drawn from its law"), who_, "keeps_law"),
        judge_auxiliaries(a_, t_));
  }

  Verdict accept() {
    Verdict v = fine(Rule::invariance,
                     "the proposal is reversible and preserves volume, and the Metropolis decision "
                     "uses the exact law");
    if (a_.stages(t_).start) {
      join(v, judge_stages(a_, t_));
    } else if (a_.all[t_].moves.empty()) {
      return biased(Rule::proposal, false, "the update has no move that makes a proposal");
    }
    for (const std::int32_t m : a_.all[t_].moves) join(v, proposal(a_.operation(m)));
    return joined(std::move(v), one_map(), judge_auxiliaries(a_, t_), noisy_ratio());
  }

  Verdict proposal(const OperationInfo& move) const {
    if (moves_normals(a_, move)) return proposed_normals(move);
    if (!move.traits.involution || !move.traits.volume) {
      return biased(Rule::invariance, false,
                    fmt::format("`{}` is not declared as a reversible, volume-preserving map. "
                                "Declare `involution` and `volume` if it is such a map",
                                move.name));
    }
    if (!starts_at_state(move)) {
      return biased(Rule::proposal, true,
                    "the proposal does not start at the state with which it is compared");
    }
    if (is_exchange(move)) return fine(Rule::invariance, "an exchange is its own inverse");
    return assuming(
        a_,
        assuming(a_, fine(Rule::invariance, "the move is a reversible map"), move, "involution"),
        move, "volume");
  }

  /// The move is reversible for N(0, I). The ratio leaves out N(0, I) at both ends.
  Verdict proposed_normals(const OperationInfo& move) const {
    if (!move.traits.keeps_law) {
      return biased(Rule::estimate, false,
                    fmt::format("`{}` does not declare that it leaves standard normals invariant",
                                move.name));
    }
    return assuming(a_, fine(Rule::estimate, "the proposal for the standard normals is reversible"),
                    move, "keeps_law");
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

  /// Several moves, each starting where the previous one ended, are one reversible map if they are
  /// the same in reverse order.
  Verdict one_map() const {
    std::vector<const OperationInfo*> chain;
    for (const std::int32_t m : a_.all[t_].moves) {
      if (proposal_before(a_.operation(m))) chain.push_back(&a_.operation(m));
    }
    if (chain.empty()) return fine(Rule::proposal, "each state is moved only once");
    const OperationInfo* const first = a_.maker(proposal_before(*chain.back()));
    chain.push_back(first == nullptr ? chain.back() : first);
    for (std::size_t k = 0; k + k + 1 < chain.size(); ++k) {
      if (is_same_map(*chain[k], *chain[chain.size() - 1 - k])) continue;
      return biased(Rule::proposal, true,
                    fmt::format("`{}` starts where `{}` ended. A sequence of moves is reversible "
                                "only if it is the same in reverse order",
                                chain[k]->name, chain[chain.size() - 1 - k]->name));
    }
    return fine(Rule::proposal, "the moves are the same in reverse order");
  }

  /// The proposal from which a move starts, if there is one.
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

  /// Laws of the target, each with the noises from which it is made.
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

  /// A stage is judged together with the accept that decides on the whole proposal.
  Verdict noisy_ratio() const {
    Verdict v = fine(Rule::invariance, "the acceptance ratio is exact");
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

  /// At every fixed noise, the update leaves the noisy law invariant. But the noise makes this law
  /// a different one in each sweep.
  Verdict noiseless() const {
    const auto noisy = noisy_laws();
    if (noisy.empty())
      return fine(Rule::invariance, "the law of the move is the same in every sweep");
    const auto& [law, noises] = noisy.front();
    return biased(Rule::scheme, !has_exact_potential(law),
                  "the move leaves its target density invariant for fixed parameters, but this "
                  "density is noisy",
                  path(noises, law));
  }

  Verdict move() {
    if (who_.traits.optimises) {
      Verdict v = biased(Rule::optimiser, true,
                         "the move is an optimiser: it seeks a mode and does not sample");
      v.optimiser = true;
      return v;
    }
    if (who_.traits.invariant) return opaque(*who_.traits.invariant);
    if (who_.traits.order == 0) {
      return biased(Rule::invariance, false,
                    "the move declares neither `invariant` nor `order`, so nothing shows that it "
                    "leaves its target density invariant");
    }
    return uncorrected();
  }

  Verdict opaque(bool invariant) const {
    if (invariant) {
      Verdict v = assuming(a_,
                           fine(Rule::invariance,
                                "the kernel's author declares that the move leaves its target "
                                "density invariant, and `mixwell verify` tests this claim"),
                           who_, "invariant");
      v.declared = v.assumes;  // also for built-in kernels, because no contract can test this trait
      return joined(std::move(v), judge_auxiliaries(a_, t_), noiseless());
    }
    return assuming(
        a_,
        biased(Rule::invariance, true,
               "the kernel declares that it does not leave its target density invariant"),
        who_, "not invariant");
  }

  /// A step of a scheme without a Metropolis correction.
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
                  "the gradient has noise, and the update has neither friction nor fresh momentum. "
                  "Add friction, or redraw the momentum");
  }

  /// The displacement of one step from a fresh momentum has variance eps^2. The drift that leaves
  /// pi invariant is also of order eps^2, and a scheme of order 1 lacks this drift.
  Verdict between_redraws() const {
    if (!who_.traits.local || who_.traits.order > 1)
      return fine(Rule::scheme, "the scheme keeps its order between two redraws of the momentum");
    return biased(
        Rule::scheme, true,
        "the momentum is redrawn before every single step of a scheme of order 1, so the error "
        "does not vanish as eps -> 0. Take more steps, or carry the momentum over to the next "
        "sweep");
  }

  Verdict scheme(bool noisy) const {
    if (input_of(who_, Role::position_coupling) != input_of(who_, Role::momentum_coupling) ||
        input_of(who_, Role::drift) != input_of(who_, Role::diffusion)) {
      return biased(Rule::scheme, true,
                    "the dynamics use different matrices for position and momentum, or for drift "
                    "and diffusion. Use one matrix for each pair");
    }
    Verdict v =
        fine(Rule::scheme,
             noisy ? "there is no Metropolis step, and the gradient has noise: an error remains in "
                     "the draws"
                   : "there is no Metropolis step: the error of the scheme remains in the draws");
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

  /// The preconditioners that the transition reads, directly or in the law of an auxiliary.
  template <class Visit>
  void each_preconditioner(const Visit& visit) const {
    const auto look = [&](const Input& input) {
      if (is_preconditioner(input.value)) visit(input.value);
    };
    for (const auto& [part, input] : a_.inputs(t_)) {
      look(input);
      const OperationInfo* const made_by = a_.maker(input.value);
      if (input.role != Role::law || made_by == nullptr) continue;
      for (const Input& behind : made_by->inputs) look(behind);
    }
  }

  /// Whether H, S and C of a preconditioner are computed from one matrix.
  Verdict preconditioners() const {
    Verdict v = fine(Rule::invariance,
                     "all factors of each preconditioner are computed from the same matrix");
    each_preconditioner([&](Value one) { v = resting_on(a_, std::move(v), one, "curvature"); });
    return v;
  }

  /// Steps become small with eps only if all values that scale them have a bound.
  Verdict bounds() const {
    Verdict v = fine(Rule::bound, "every value that scales a step has a bound");
    each_preconditioner([&](Value one) { join(v, bounded(one)); });
    for (const auto& [part, input] : a_.inputs(t_)) {
      if (scales_a_step(input.role) && !is_preconditioner(input.value))
        join(v, bounded(input.value));
    }
    return v;
  }

  static bool scales_a_step(Role role) {
    constexpr std::array scales = {Role::parameter,         Role::friction, Role::position_coupling,
                                   Role::momentum_coupling, Role::drift,    Role::diffusion};
    return contains(scales, role);
  }

  /// Rule 4 already assumes that values from a history are bounded.
  Verdict bounded(Value scale) const {
    const OperationInfo* const made_by = a_.maker(scale);
    if (made_by == nullptr || !follows_slots(scale))
      return fine(Rule::bound, "the scale of the step is a constant or is learnt");
    switch (made_by->traits.bound) {
      case Bound::global:
        return assuming(a_, fine(Rule::bound, "the scale of the step has a bound"), *made_by,
                        "bound");
      case Bound::local:
        return assuming(a_, in_law(Rule::bound, "a scale of the step has only a local bound"),
                        *made_by, "bound");
      case Bound::unknown:
        break;
    }
    const std::string& name = a_.graph[scale].name;
    return biased(
        Rule::bound, false,
        fmt::format("`{}` depends on the state and has no known bound, so some steps can be long "
                    "however small eps is. {}",
                    name,
                    is_preconditioner(scale)
                        ? "Set limits for the preconditioner (`eigenvalues = [low, high]`)"
                        : "Declare `Traits::bound` for the operation that makes this value"),
        {name});
  }

  bool is_preconditioner(Value v) const {
    return dynamic_cast<const Representation*>(a_.graph[v].function.get()) != nullptr;
  }

  /// Whether a value changes with current or past positions.
  bool follows_slots(Value v) const {
    return any(a_.cones.leaves(v),
               [&](Value leaf) { return a_.is_version(leaf) && !a_.is_still(leaf); });
  }

  /// The verdict on the limit eps -> 0, from the declared growth of the target's gradient.
  Verdict limit() const {
    switch (growth_of_laws()) {
      case GradientGrowth::lipschitz:
        return fine(Rule::growth, "the gradient grows no faster than linearly");
      case GradientGrowth::locally_lipschitz:
        return in_law(Rule::growth, "the gradient grows faster than linearly");
      case GradientGrowth::singular:
        return biased(Rule::growth, false,
                      "a step can reach a point where the gradient is unbounded or the support "
                      "ends. The order of the scheme at such points is not known");
      case GradientGrowth::undeclared:
        break;
    }
    return biased(
        Rule::growth, false,
        "the update has no Metropolis correction, so the verdict depends on how the model's "
        "gradient grows. The model does not declare this. Declare `Model::gradient_growth`");
  }

  Verdict in_law(Rule rule, const std::string& growth) const {
    Verdict v = fine(rule, fmt::format("as eps -> 0, the draws at a fixed time converge in law to "
                                       "the update's target distribution, but {}. At a finite step "
                                       "size, a stationary law and the moments of the draws need "
                                       "not exist",
                                       growth));
    v.accuracy = Accuracy::asymptotic;
    v.order = who_.traits.order;
    v.notes.push_back(v.reason);
    v.citation =
        "Roberts & Tweedie 1996, Bernoulli 2; "
        "Hutzenthaler, Jentzen & Kloeden 2011, Proc. R. Soc. A 467";
    return v;
  }

  /// A cached (u, g) must belong to a law of the operation, at the operation's state or proposal.
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
            fmt::format(
                "`{}` was evaluated for a law, or at a point, that this operation does not use",
                v.name));
      }
    }
    return fine(Rule::factor, "evaluations are current");
  }
};

}  // namespace

Verdict judge_transition(const Analysis& a, std::size_t t) { return TransitionRules(a, t).judge(); }

}  // namespace mixwell
