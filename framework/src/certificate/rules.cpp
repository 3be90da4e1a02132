// The rules of a certificate: their texts and sources, and examples that pass and fail.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/certificate.hpp>

#include <array>

namespace mixwell {
namespace {

constexpr std::array<RuleInfo, rule_count> all_rules{{
    {Rule::invariance, "1",
     "each parameter is a constant, fresh noise, or the current value of another variable. The "
     "moves of an `accept` declare `involution` and `volume`, a `refresh` declares `keeps_law`, "
     "and an opaque move declares `invariant`",
     "exact",
     "given all other variables, the kernel leaves the law of the variables that it moves "
     "invariant. It therefore leaves the joint law invariant too (Tierney 1994; for parameters "
     "made from other slots, Zhang & Sutton 2011)",
     "certificates/hmc-bfgs-sequential", "undeclared/undeclared"},
    {Rule::stale_value, "1s",
     "a parameter depends on an outdated value of a variable that the update influences: an "
     "earlier update has already replaced this value. The rule also applies to a law that depends "
     "on an outdated value of another part of the position, even if the update does not influence "
     "that part",
     "asymptotic of order 1 if the dependence vanishes as eps -> 0; otherwise biased",
     "no order of the updates makes every value current when it is read. If all slots are updated "
     "together from old values, E theta^2 = 0.709 instead of 0.676 on U = theta^4 / 4",
     "certificates/hmc-bfgs-two-groups", "certificates/ensemble-simultaneous"},
    {Rule::own_value, "2",
     "a parameter depends on the updated variable's own value, on a window of its past values, or "
     "on this sweep's value of a proposal or statistic that the update influences",
     "biased",
     "a kernel that leaves its target density invariant for each fixed value of a parameter can "
     "fail to do so if the parameter depends on the state. For example, QNHMC as published "
     "freezes near the mode. A full redraw from a law is an exception: the parameters of the "
     "redraw may depend on the value that the redraw replaces",
     "certificates/qnhmc-ensemble", "certificates/qnhmc-published"},
    {Rule::mirrored_law, "2a",
     "a law in the acceptance ratio depends on the state as in rule 2, and `law_at_proposal` is "
     "the same law computed from the proposal instead of the state. The same operations make both "
     "laws",
     "exact",
     "an acceptance ratio that contains both laws is the Metropolis-Hastings ratio (Hastings 1970)",
     "certificates/metropolis-gaussian", ""},
    {Rule::drift_correction, "2g",
     "a parameter depends on the updated variable as in rule 2, but only through the matrix in the "
     "drift and diffusion of an uncorrected move. The drift contains the total divergence of this "
     "matrix, and the matrix is `continuous`. Past values are allowed only if every update of the "
     "variable moves it by a small step",
     "asymptotic of order 1",
     "with this divergence in its drift, the diffusion leaves pi invariant (Xifara et al. 2014; "
     "Ma, Chen & Fox 2015). The rule does not cover a step size, branch or friction that depends "
     "on the state, because each of them changes the limit law of the chain",
     "certificates/sgrld", "counterexamples/tempering-own-past"},
    {Rule::past_of_others, "3",
     "the update influences other variables, and a parameter depends on a window of their past "
     "values",
     "asymptotic of order 1 if the dependence vanishes as eps -> 0; otherwise biased",
     "the latest moves of another slot depend on the updated slot. HAMCMC uses these moves as "
     "secant pairs, and E theta_i^2 is then 0.58 to 0.72 instead of 0.676 on U = sum theta_i^4 / "
     "4, d = 2",
     "certificates/hamcmc-cross", "certificates/hamcmc-published"},
    {Rule::learning, "4", "a parameter depends on a history that the update influences",
     "adaptive if the history declares `diminishing`, biased if it declares `persistent`, "
     "otherwise unproven",
     "the draws converge under diminishing adaptation with containment (Roberts & Rosenthal 2007)",
     "certificates/hmc-never-frozen", "certificates/qnhmc-one-matrix"},
    {Rule::scheme, "5",
     "a move without a Metropolis correction uses a scheme that declares its `order`. One matrix "
     "couples the position to the momentum and the momentum to the gradient. The drift and the "
     "diffusion also share one matrix, which may differ from the first. No acceptance ratio uses "
     "a noisy law",
     "asymptotic of this order, or of order 1 if the law of the move is noisy; biased if a "
     "condition fails",
     "the weak error of the scheme has this order (Mattingly, Stuart & Tretyakov 2010; with "
     "gradient noise Vollmer, Zygalakis & Teh 2016)",
     "certificates/hmc-unadjusted", "certificates/naive-unadjusted"},
    {Rule::branch, "7",
     "the choice of a mixture's branch is a parameter of every operation in the branches. A value "
     "that is made in a branch must be read only in that branch. In replicates that chose another "
     "branch, this value is left over from an earlier sweep",
     "the same as for any other parameter",
     "if all branches of a mixture leave a density invariant, and their weights do not depend on "
     "the state, the mixture leaves this density invariant too (Tierney 1994)",
     "certificates/mixture", ""},
    {Rule::proposal, "A",
     "a move makes the proposal, and this move starts at the state that the acceptance ratio uses. "
     "If several moves make the proposal, their sequence must be the same in reverse order",
     "otherwise biased",
     "the acceptance ratio compares the two ends of one map. The composition of two different "
     "reversible maps is in general not reversible",
     "certificates/hmc", ""},
    {Rule::bound, "B",
     "in an update without a Metropolis correction, an operation declares its `bound` as `global` "
     "or `local` if its result depends on the state and scales a step. Examples of such results "
     "are a preconditioner fitted to other slots, a step size, and a number of steps",
     "`global` does not change the verdict. `local` adds a note that the limit holds in law at a "
     "fixed time. Without a declaration, the verdict is `biased` with evidence `unproven`",
     "the steps become small as eps -> 0 if the preconditioner H has a bound. The secant estimate "
     "H = s / y (change of position over change of gradient) has no bound where U is flat. On U = "
     "theta^4 / 4, the probability that H exceeds h is about h^-1/2. E min(theta^2, 9) is then 5.0 "
     "at eps = 0.02 and 4.9 at eps = 0.00125 instead of 0.676",
     "certificates/hamcmc-cross", "counterexamples/curvature-without-bound"},
    {Rule::factor, "C",
     "each update of a slot uses laws that together contain every factor of that slot. The law "
     "that contains a factor depends only on the slots of this factor. Each operation reads "
     "evaluations only of the laws that it uses, and only at its state or its proposal. A law made "
     "from a factor declares `unbiased` or a `density`",
     "otherwise biased",
     "a factor that is missing from the acceptance ratio is also missing from the stationary "
     "density",
     "certificates/tempering", "certificates/surrogate-of-others-published"},
    {Rule::one_density, "D", "all updates of a slot leave the same density invariant",
     "otherwise biased",
     "if two kernels leave different densities invariant, a cycle of both kernels generally "
     "leaves neither density invariant",
     "certificates/mixture", "certificates/cycle-densities"},
    {Rule::growth, "E",
     "for updates without a Metropolis correction, the model declares how its gradient grows: "
     "`lipschitz`, `locally_lipschitz` or `singular`",
     "`lipschitz` does not change the verdict. `locally_lipschitz` adds a note that the limit "
     "holds in law at a fixed time. For `singular`, or without a declaration, the verdict is "
     "`biased` with evidence `unproven`",
     "a scheme at a finite step size need not have a stationary law if the gradient grows faster "
     "than linearly (Roberts & Tweedie 1996; Hutzenthaler, Jentzen & Kloeden 2011). At a boundary "
     "where the gradient is bounded, a scheme that reflects its steps has a known order (Bossy, "
     "Gobet & Talay 2004). No order is known at a singular boundary",
     "certificates/sgld", "counterexamples/langevin-gamma"},
    {Rule::still_register, "F", "nothing writes the history in this phase", "harmless",
     "the history is a constant", "certificates/qnhmc-frozen", ""},
    {Rule::collapsed, "G",
     "a law that declares `marginal` integrates out some slots of the factor from which the law "
     "is made. After each update that uses this law, a full redraw of these slots from their "
     "conditional law follows before the sweep ends and before another update reads them or "
     "starts from them. No parameter depends on these slots",
     "otherwise biased. If there are at most 8 updates, and they are valid in some order, the "
     "verdict names such an order",
     "after an update of slots W given slots R, only the joint law of W and R agrees with the "
     "target (van Dyk & Park 2008)",
     "blocks/collapsed", "counterexamples/collapsed-order"},
    {Rule::auxiliary, "L",
     "an auxiliary variable keeps one law between two full redraws: all updates of the variable "
     "use the law from which it was drawn, with the same parameter values. If the variable is "
     "carried over to the next sweep, its law never changes. If an update uses the variable to "
     "move a slot, the update also writes the variable, or a full redraw follows before any "
     "operation reads the variable. In an update without a Metropolis correction, gradient noise "
     "requires friction or a momentum that is redrawn",
     "otherwise biased",
     "if the law of a variable changes after the draw, the variable does not have the law that the "
     "next update assumes. For example, if a momentum is carried over to the next sweep and its "
     "mass matrix depends on the other slots, E theta^2 = 0.737 instead of 0.676 on U = theta^4 / "
     "4. Gradient noise without friction heats the chain without limit (Chen, Fox & Guestrin 2014)",
     "certificates/carried-symmetric", "certificates/carried-mass"},
    {Rule::estimate, "M",
     "if a density is known only through an unbiased estimate, the normals that give the estimate "
     "at the state are stored with the slot. Each decision about the slot, about the normals, or "
     "about both uses the estimate from the stored normals",
     "otherwise biased",
     "the joint density exp(-Uhat(theta; z)) N(z; 0, I) has the target density as its marginal "
     "(Andrieu & Roberts 2009). If the estimate at the state is computed again, the chain has a "
     "different stationary law",
     "certificates/pseudo-marginal", "counterexamples/pseudo-marginal-anew"},
    {Rule::noise, "N",
     "each noise value enters an update in only one of three ways: through the update's law, "
     "through a parameter, or as the update's own noise. Noise that does not affect the result of "
     "the update is exempt. No state or parameter that the update reads depends on the update's "
     "noise. Such a dependence can arise within this sweep, or through a value that was used to "
     "move another variable with the same noise. If a parameter of an update depends on noise, no "
     "operation that depends on the same noise reads a value that the update replaces, either "
     "directly or through other variables and histories. No parameter depends on an operation "
     "that shares noise with an update of the state, or with an update of a variable that "
     "influences the state and is influenced by it. Slots that are updated together share no "
     "noise. Each noise value enters the law of an uncorrected update in only one way",
     "otherwise biased. If updates with a Metropolis correction share noise, the verdict is exact, "
     "but their slots are `coupled`",
     "the reverse of an accepted proposal uses the same noise in reverse order, so the state "
     "depends on the noise. After a single small step without a Metropolis correction, the "
     "dependence on the gradient noise vanishes as eps -> 0. After a Metropolis decision, it does "
     "not vanish",
     "counterexamples/metropolis-gaussian-noisy", "counterexamples/cycle-sharing-noise-one-step"},
    {Rule::optimiser, "O", "a move declares `optimises`", "none",
     "the move seeks a mode and does not sample", "", ""},
    {Rule::uninfluenced, "P",
     "the update reads past values from a history or a stale version, and cannot influence these "
     "values",
     "harmless if the history or version shares no noise with the updates (rule N)",
     "each kernel of the slot leaves its target density invariant, given all past values that the "
     "kernels read during the run",
     "certificates/pilot", ""},
    {Rule::stages, "R",
     "a proposal is made in stages (delayed acceptance). Each stage is a full redraw, or one "
     "Metropolis decision with freshly drawn auxiliary variables. All stages leave the same law "
     "invariant. The acceptance ratio contains the factor p(state) / p(proposal), where p is the "
     "density of this law. The sequence of the stages is its own reverse. If the law is noisy, the "
     "state, the proposal and all stages use the same draw of its noise",
     "otherwise biased, or unproven if nothing shows that a stage is reversible",
     "if the stages Q are reversible for their law p, then p(x) Q(x, dy) is symmetric, and so is "
     "pi(x) Q(x, dy) min(1, pi(y) p(x) / (pi(x) p(y))) (Christen & Fox 2005)",
     "certificates/delayed-acceptance", "counterexamples/delayed-acceptance-cycle"},
    {Rule::cycle, "S",
     "a law declares a `cycle`, a number of sweeps over which the mean of its gradients is "
     "unbiased. Every operation that reads the law is a move of one small step without a "
     "Metropolis correction, runs in every sweep, and uses only the gradient of the law",
     "asymptotic of order 1 if these conditions hold; otherwise `biased` with evidence `unproven`",
     "to first order, the steps of a cycle together equal one step with the full gradient, as in "
     "a Lie-Trotter splitting. If a preconditioner or a second update also depends on the choice "
     "of data, the average over a cycle is wrong, because the mean of a product is not the "
     "product of the means",
     "certificates/sgld-cyclic", "counterexamples/cyclic-psgld"},
    {Rule::unbiased, "U", "the law of an uncorrected move declares `unbiased`",
     "the parameters of the law do not change the verdict",
     "the parameters of the law change the noise of the gradient but not its mean",
     "certificates/sgld", ""},
}};

/// The index of each rule is its enumerator, and no rule is missing.
constexpr bool has_a_row_for_each_rule() {
  for (std::size_t k = 0; k < all_rules.size(); ++k)
    if (all_rules[k].rule != static_cast<Rule>(k) || all_rules[k].id.empty()) return false;
  return true;
}
static_assert(has_a_row_for_each_rule());

}  // namespace

std::span<const RuleInfo> rules() noexcept { return all_rules; }

std::string_view to_string(Rule rule) noexcept {
  return all_rules[static_cast<std::size_t>(rule)].id;
}

std::optional<Rule> rule_from(std::string_view id) noexcept {
  for (const RuleInfo& one : all_rules)
    if (one.id == id) return one.rule;
  return std::nullopt;
}

}  // namespace mixwell
