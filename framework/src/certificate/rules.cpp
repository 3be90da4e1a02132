// The rules of a certificate: the name, text and source of each rule, with one example that passes
// and one that fails.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/certificate.hpp>

#include <array>

namespace mixwell {
namespace {

constexpr std::array<RuleInfo, rule_count> all_rules{{
    {Rule::invariance, "1",
     "each parameter is a constant, fresh noise, or the current value of another variable. The "
     "moves of an accept declare `involution` and `volume`, a refresh declares `keeps_law`, and an "
     "opaque move declares `invariant`",
     "exact",
     "given everything else, the kernel leaves the law of the variables that it moves invariant, "
     "and the joint law is a product (Tierney 1994; for values of other slots Zhang & Sutton 2011)",
     "certificates/hmc-bfgs-sequential", "undeclared/undeclared"},
    {Rule::stale_value, "1s",
     "a parameter reads an already replaced value of a variable that the update influences, or a "
     "law reads an already replaced value of another part of the position, even of a part that the "
     "update does not influence",
     "asymptotic of order 1 if the dependence vanishes as eps -> 0; otherwise biased",
     "in no order of the updates is every value current when it is read. If all slots are updated "
     "at once from old values, E theta^2 = 0.709 instead of 0.676 on U = theta^4 / 4",
     "certificates/hmc-bfgs-two-groups", "certificates/ensemble-simultaneous"},
    {Rule::own_value, "2",
     "a parameter depends on the updated variable's own value, on a window of its past values, or "
     "on a proposal or a statistic of this sweep that the update influences",
     "biased",
     "a kernel that leaves its target density invariant at each fixed parameter need not do so if "
     "the parameter depends on the state: QNHMC as published freezes near the mode. The parameters "
     "of a full redraw from a law may depend on the value that the redraw replaces",
     "certificates/qnhmc-ensemble", "certificates/qnhmc-published"},
    {Rule::mirrored_law, "2a",
     "a law in the acceptance ratio depends on the state as in rule 2, and its `law_at_proposal` "
     "is its mirror image: the same operations make both laws, one from the state and one from the "
     "proposal",
     "exact", "a ratio with both laws is the ratio of Metropolis and Hastings (Hastings 1970)",
     "certificates/metropolis-gaussian", ""},
    {Rule::drift_correction, "2g",
     "a dependence as in rule 2, but only through the matrix in the drift and diffusion of an "
     "uncorrected move. The drift contains the total divergence of this matrix, and the matrix is "
     "`continuous`. Past values are allowed only if every update of the variable moves it by a "
     "small step",
     "asymptotic of order 1",
     "with the divergence, the drift belongs to a diffusion that leaves pi invariant (Xifara and "
     "others 2014; Ma, Chen & Fox 2015). The rule does not cover a step size, a branch or a "
     "friction that depends on the state, because the chain then has another limit law",
     "certificates/sgrld", "counterexamples/tempering-own-past"},
    {Rule::past_of_others, "3",
     "a parameter depends on a window of past values of other variables that the update influences",
     "asymptotic of order 1 if the dependence vanishes as eps -> 0; otherwise biased",
     "the last moves of another slot depend on this slot. HAMCMC uses these moves as secant pairs, "
     "and E theta_i^2 is then 0.58 to 0.72 instead of 0.676 on U = sum theta_i^4 / 4, d = 2",
     "certificates/hamcmc-cross", "certificates/hamcmc-published"},
    {Rule::learning, "4",
     "a parameter depends on a history that the update influences. The history may declare "
     "`diminishing` or `persistent`",
     "`diminishing`: adaptive; `persistent`: biased; no declaration: unproven",
     "the draws converge under diminishing adaptation with containment (Roberts & Rosenthal 2007)",
     "certificates/hmc-never-frozen", "certificates/qnhmc-one-matrix"},
    {Rule::scheme, "5",
     "a move without Metropolis is a step of a scheme with a declared `order`. The position and "
     "momentum couplings come from one value. The drift and the diffusion come from one value. No "
     "acceptance ratio uses a noisy law",
     "asymptotic of that order, or of order 1 if its law is noisy; otherwise biased",
     "the weak error of the scheme has this order (Mattingly, Stuart & Tretyakov 2010; with "
     "gradient noise Vollmer, Zygalakis & Teh 2016)",
     "certificates/hmc-unadjusted", "certificates/naive-unadjusted"},
    {Rule::branch, "7",
     "the choice of a mixture's branch is a parameter of every operation in the branches. Only "
     "operations in a branch may read the values that this branch computes, because in replicates "
     "that chose another branch these values are from an earlier sweep",
     "as for any parameter",
     "if the weights of a mixture do not depend on the state, the mixture leaves each density "
     "invariant that all its parts leave invariant (Tierney 1994)",
     "certificates/mixture", ""},
    {Rule::proposal, "A",
     "the proposal comes from a move, and this move starts at the state with which the ratio "
     "compares the proposal. Several moves in sequence are the same in reverse order",
     "otherwise biased",
     "the acceptance ratio compares the two ends of one map. Two different reversible maps in "
     "sequence are not one reversible map",
     "certificates/hmc", ""},
    {Rule::bound, "B",
     "without Metropolis, everything that scales a step and depends on the state (a preconditioner "
     "of other slots, a step size, a number of steps) is made by an operation that declares a "
     "`bound`: `global` or `local`",
     "`global`: no change; `local`: a note that the limit holds in law at a fixed time; otherwise "
     "biased, unproven",
     "the steps become small as eps -> 0 if H has a bound. The H = s / y of a secant has no bound "
     "where U is flat. On U = theta^4 / 4, H exceeds h with a probability of about h^-1/2. E "
     "theta^2, clipped at 9, is 5.0 at eps = 0.02 and 4.9 at eps = 0.00125 instead of 0.676",
     "certificates/hamcmc-cross", "counterexamples/curvature-without-bound"},
    {Rule::factor, "C",
     "the laws of each update of a slot contain every factor of that slot, and these laws depend "
     "only on the factor's slots. An operation reads only evaluations of its laws, at its state or "
     "its proposal. A law made from a factor declares `unbiased` or a `density`",
     "otherwise biased",
     "a factor that is missing from the acceptance ratio is also missing from the stationary "
     "density",
     "certificates/tempering", "certificates/surrogate-of-others-published"},
    {Rule::one_density, "D", "all updates of a slot leave the same density invariant",
     "otherwise biased", "a cycle of kernels for two densities leaves neither of them invariant",
     "certificates/mixture", "certificates/cycle-densities"},
    {Rule::growth, "E",
     "without Metropolis, the model declares how its gradient grows: `lipschitz`, "
     "`locally_lipschitz` or `singular`",
     "`lipschitz`: no change; `locally_lipschitz`: a note that the limit holds in law at a fixed "
     "time; `singular`, or no declaration: biased, unproven",
     "with steep tails, a scheme at a finite step may have no stationary law (Roberts & Tweedie "
     "1996; Hutzenthaler, Jentzen & Kloeden 2011). At a boundary with a bounded gradient, the "
     "reflected scheme is right (Bossy, Gobet & Talay 2004). At a singular boundary, no order is "
     "known",
     "certificates/sgld", "counterexamples/langevin-gamma"},
    {Rule::still_register, "F", "nothing writes the history in this phase", "harmless",
     "the history is a constant", "certificates/qnhmc-frozen", ""},
    {Rule::collapsed, "G",
     "an update by a law that declares `marginal` leaves out other slots of the factor. These "
     "slots are drawn again, in full and given everything they are conditional on, before the "
     "sweep ends and before another update reads them or starts from them. No parameter depends on "
     "these slots",
     "otherwise biased; for up to 8 updates, the verdict names a right order if there is one",
     "after an update of W given R only the joint law of W and R is right (van Dyk & Park 2008)",
     "blocks/collapsed", "counterexamples/collapsed-order"},
    {Rule::auxiliary, "L",
     "an auxiliary variable has one law between two full redraws: the variable was drawn from this "
     "law value, and all updates of the variable use this law value. If the variable is carried "
     "over sweeps, the law never changes. An update that moves something with the variable also "
     "writes the variable, or a full redraw follows before anything reads the variable. Without "
     "Metropolis, gradient noise requires friction or a momentum that is redrawn",
     "otherwise biased",
     "a value drawn under one law does not have the distribution of another law. A momentum "
     "carried under a mass that depends on the other slots gives E theta^2 = 0.737 instead of "
     "0.676. Gradient noise without friction heats the chain for ever (Chen, Fox & Guestrin 2014)",
     "certificates/carried-symmetric", "certificates/carried-mass"},
    {Rule::estimate, "M",
     "if a density is known only through an unbiased estimate, the normals that give the estimate "
     "at the state are stored with the slot. Each decision about the slot, about the normals, or "
     "about both uses the estimate from the stored normals",
     "otherwise biased",
     "exp(-Uhat(theta; z)) N(z; 0, I) has the density as its marginal (Andrieu & Roberts 2009). If "
     "the estimate at the state is computed again, the chain has another stationary law",
     "certificates/pseudo-marginal", "counterexamples/pseudo-marginal-anew"},
    {Rule::noise, "N",
     "a noise enters an update in one way: through the update's law, through a parameter, or as "
     "the update's own noise. A noise may enter in several ways only if the outcome does not "
     "depend on the noise. No state or parameter that the update reads depends on the noise, in "
     "this sweep or through a value with which another variable that shares the noise was moved. "
     "If a parameter of an update depends on the noise, nothing that depends on the noise reads a "
     "value that this update replaces, directly or through other variables and histories. Consider "
     "the variables that influence the state and are influenced by the state. No parameter comes "
     "from anything that shares a noise with an update of these variables. Slots that are updated "
     "together share no noise. A noise enters the law of an uncorrected update in one way",
     "otherwise biased; slots that share a noise under Metropolis are exact and `coupled`",
     "an accepted proposal is reversed with its noises in reverse order, so the state depends on "
     "the noise. After a single small step without Metropolis, the dependence on the noise of the "
     "gradient vanishes with eps. After an accept, the dependence does not vanish",
     "counterexamples/metropolis-gaussian-noisy", "counterexamples/cycle-sharing-noise-one-step"},
    {Rule::optimiser, "O", "a move declares `optimises`", "none",
     "the move seeks a mode and does not sample", "", ""},
    {Rule::uninfluenced, "P",
     "the update reads a history, or a stale version, of something that it cannot influence",
     "harmless if it shares no noise with the updates (rule N)",
     "given all values that are read over the whole run, each kernel of the slot leaves its target "
     "density invariant",
     "certificates/pilot", ""},
    {Rule::stages, "R",
     "a proposal is made by stages (delayed acceptance). Each stage is one Metropolis decision "
     "over freshly drawn auxiliary variables, or a full redraw. The acceptance ratio divides out "
     "the law of the stages at both ends, and each stage leaves this law invariant. The stages are "
     "the same in reverse order. If the law is noisy, both ends and all stages use the same draw "
     "of its noise",
     "otherwise biased, or unproven if nothing shows that a stage is reversible",
     "if the stages are reversible for p, then p(x) Q(x, dy) is symmetric, and so is pi(x) Q(x, "
     "dy) min(1, pi(y) p(x) / (pi(x) p(y))) (Christen & Fox 2005)",
     "certificates/delayed-acceptance", "counterexamples/delayed-acceptance-cycle"},
    {Rule::cycle, "S",
     "a law declares a `cycle`: its gradient is right on average over that many sweeps. Every "
     "operation that reads the law is a move of one small step without Metropolis, runs in every "
     "sweep, and uses only the gradient of the law",
     "asymptotic of order 1; otherwise biased, unproven",
     "to first order, the steps of a cycle are one step of the whole law, as in a splitting (Lie & "
     "Trotter). A preconditioner or a second update that depends on the same choice of data is not "
     "right on average, because the mean of a product is not the product of the means",
     "certificates/sgld-cyclic", "counterexamples/cyclic-psgld"},
    {Rule::unbiased, "U", "the law of an uncorrected move declares `unbiased`",
     "the parameters of the law are harmless",
     "a dependence of the parameters changes the noise of the gradient but not its mean",
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
