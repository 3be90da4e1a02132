// The rules of a certificate: name, text and source of each, and an example on either side.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/certificate.hpp>

#include <array>

namespace mixwell {
namespace {

constexpr std::array<RuleInfo, rule_count> all_rules{{
    {Rule::invariance, "1",
     "every parameter is a constant, fresh noise, or the current value of another variable; an "
     "accept's moves declare `involution` and `volume`, a refresh `keeps_law`, an opaque move "
     "`invariant`",
     "exact",
     "given all else, the kernel leaves the law of what it moves invariant, and the joint law is "
     "a product (Tierney 1994; for values of other slots Zhang & Sutton 2011)",
     "certificates/hmc-bfgs-sequential", "undeclared/undeclared"},
    {Rule::stale_value, "1s",
     "a parameter reads a value that was replaced before, of a variable that the update "
     "influences; or a law reads a replaced value of another part of the position, whether the "
     "update influences it or not",
     "biased; asymptotic of order 1 where the dependence vanishes",
     "no order of the updates makes every read current; with all slots at once from old values E "
     "theta^2 = 0.709 instead of 0.676 on U = theta^4 / 4",
     "certificates/hmc-bfgs-two-groups", "certificates/ensemble-simultaneous"},
    {Rule::own_value, "2",
     "a parameter depends on the updated variable's own value, on a window of its past ones, or "
     "on a proposal or a statistic of this sweep that the update influences",
     "biased",
     "the kernel at a fixed parameter keeps the law, the kernel with one that follows the state "
     "need not: QNHMC as published freezes near the mode. A full redraw from a law may follow "
     "what it replaces",
     "certificates/qnhmc-ensemble", "certificates/qnhmc-published"},
    {Rule::mirrored_law, "2a",
     "the same, of a law in the ratio whose mirror is there as `law_at_proposal`: the same "
     "operations with the proposal where the state was",
     "exact", "the ratio of Metropolis and Hastings (Hastings 1970)",
     "certificates/metropolis-gaussian", ""},
    {Rule::drift_correction, "2g",
     "the same, through the drift and diffusion alone of an uncorrected move whose drift holds "
     "the total divergence of that very matrix, which is `continuous`; past values count only "
     "where all that moves the variable moves it by a small step",
     "asymptotic, order 1",
     "the drift of a diffusion that keeps pi (Xifara and others 2014; Ma, Chen & Fox 2015). It "
     "says nothing of a step size, a branch or a friction that sees the state: the limit is then "
     "another law",
     "certificates/sgrld", "counterexamples/tempering-own-past"},
    {Rule::past_of_others, "3",
     "a parameter depends on a window of past values of other variables that the update "
     "influences",
     "biased; asymptotic of order 1 where the dependence vanishes",
     "the last moves of another slot tell of this one: as pairs (HAMCMC) they give E theta_i^2 = "
     "0.58 to 0.72 on U = sum theta_i^4 / 4, d = 2",
     "certificates/hamcmc-cross", "certificates/hamcmc-published"},
    {Rule::learning, "4",
     "a parameter depends on a history that the update influences: `diminishing`",
     "adaptive; biased where it is `persistent`, unproven where nothing is declared",
     "diminishing adaptation with containment (Roberts & Rosenthal 2007)",
     "certificates/hmc-never-frozen", "certificates/qnhmc-one-matrix"},
    {Rule::scheme, "5",
     "a move without Metropolis, of a scheme of a declared `order` whose couplings come from one "
     "value, as do drift and diffusion; no noisy law in an acceptance ratio",
     "asymptotic of that order, of order 1 if its law is noisy; else biased",
     "the weak error of the scheme (Mattingly, Stuart & Tretyakov 2010), with gradient noise "
     "Vollmer, Zygalakis & Teh 2016",
     "certificates/hmc-unadjusted", "certificates/naive-unadjusted"},
    {Rule::branch, "7",
     "the choice of a mixture's branch is a parameter of every operation in the branches; what a "
     "branch computes is read only in that branch, because where another branch was chosen it is "
     "from an earlier sweep",
     "as any parameter",
     "a mixture with weights that do not see the state keeps what its parts keep (Tierney 1994)",
     "certificates/mixture", ""},
    {Rule::proposal, "A",
     "the proposal comes from a move, and starts at the versions it is compared with; several "
     "moves one after another are the same in the other order",
     "else biased",
     "the ratio compares the two ends of one map; two reversible maps one after another are not "
     "reversible",
     "certificates/hmc", ""},
    {Rule::bound, "B",
     "without Metropolis, what scales a step and follows the state (a curvature of other slots, "
     "a step size, a number of steps) is made by an operation that declares `bound`: `global`, "
     "`local`",
     "nothing more; a note that the limit is one in law at a fixed time; else biased, unproven",
     "eps -> 0 makes steps small where H has a bound. A secant's H = s / y has none where U is "
     "flat: on U = theta^4 / 4 H is above h with a probability of about h^-1/2, and E theta^2, "
     "clipped at 9, is 5.0 at eps = 0.02 and 4.9 at 0.00125 instead of 0.676",
     "certificates/hamcmc-cross", "counterexamples/curvature-without-bound"},
    {Rule::factor, "C",
     "every factor of a slot is in the laws of each update of it, of its own slots alone; an "
     "evaluation is of a law of the operation that reads it, at its own state or proposal; a law "
     "made from a factor declares `unbiased` or a `density`",
     "else biased", "what is left out of the ratio is left out of the density",
     "certificates/tempering", "certificates/surrogate-of-others-published"},
    {Rule::one_density, "D", "all updates of a slot keep the same density", "else biased",
     "a cycle of kernels for two densities keeps neither", "certificates/mixture",
     "certificates/cycle-densities"},
    {Rule::growth, "E",
     "without Metropolis, how the model's gradient grows: `lipschitz`, `locally_lipschitz`, "
     "`singular`",
     "nothing more; a note that the limit is one in law at a fixed time; biased, unproven, as is "
     "a model that declares nothing",
     "with steep tails a scheme at a finite step may have no stationary law (Roberts & Tweedie "
     "1996; Hutzenthaler, Jentzen & Kloeden 2011); at a boundary with a bounded gradient the "
     "reflected scheme is right (Bossy, Gobet & Talay 2004), at a singular one no order is known",
     "certificates/sgld", "counterexamples/langevin-gamma"},
    {Rule::still_register, "F", "a history that nothing writes in this phase", "harmless",
     "it is a constant", "certificates/qnhmc-frozen", ""},
    {Rule::collapsed, "G",
     "an update by a law that declares `marginal` leaves out other slots of the factor: what it "
     "leaves out is drawn anew, in full and given all it is conditional on, before another "
     "update reads it or starts from it, and before the sweep ends; no parameter follows it",
     "else biased, with a right order of the updates where there is one among those of up to 8",
     "after an update of W given R the joint law of W and R is right, and of nothing else (van "
     "Dyk & Park 2008)",
     "blocks/collapsed", "counterexamples/collapsed-order"},
    {Rule::auxiliary, "L",
     "an auxiliary has one law between two full redraws: the law value that it was drawn from, "
     "that all updates of it use, and that never changes if it is carried over sweeps; what "
     "moves with it writes it too, or it is redrawn in full before anything reads it; without "
     "Metropolis, gradient noise comes with friction or with a momentum that is redrawn",
     "else biased",
     "what was drawn under one law is not distributed by another: a momentum carried under a "
     "mass that follows the other slots gives E theta^2 = 0.737 instead of 0.676; noise without "
     "friction heats for ever (Chen, Fox & Guestrin 2014)",
     "certificates/carried-symmetric", "certificates/carried-mass"},
    {Rule::estimate, "M",
     "of a density that is only known by an unbiased estimate: the normals that the estimate at "
     "the state is made from stay with the slot; each decision about the slot, about them, or "
     "about both is by the estimate that is made from the kept ones",
     "else biased",
     "exp(-Uhat(theta; z)) N(z; 0, I) has the density as its marginal (Andrieu & Roberts 2009); "
     "an estimate that is made anew at the state has another stationary law",
     "certificates/pseudo-marginal", "counterexamples/pseudo-marginal-anew"},
    {Rule::noise, "N",
     "a noise is behind the law of an update, or behind a parameter, or its own; behind more "
     "than one only if the outcome does not tell of it; no state or parameter that the update "
     "reads knows it, in this sweep or from what another variable that shares it was moved with; "
     "nothing that knows of it reads what an update with that noise behind a parameter replaces, "
     "directly or over other variables and registers; no parameter comes from what shares a "
     "noise with any update of the variables that influence the state and are influenced by it; "
     "slots that are updated together share none; into the law of an uncorrected update it "
     "enters by one way",
     "else biased; slots that share a noise under Metropolis are exact and `coupled`",
     "an accepted proposal is reversed with its noise in reverse, so that the state tells of the "
     "noise. A single small step without Metropolis tells of the noise of its gradient by a "
     "share that vanishes with eps; an accept has no such excuse",
     "counterexamples/metropolis-gaussian-noisy", "counterexamples/cycle-sharing-noise-one-step"},
    {Rule::optimiser, "O", "a move declares `optimises`", "none", "it seeks a mode", "", ""},
    {Rule::uninfluenced, "P",
     "a history, or a stale version, of something that the update cannot influence",
     "harmless, where it shares no noise with the updates (rule N)",
     "given its whole path, the slot's kernels are invariant one by one", "certificates/pilot", ""},
    {Rule::stages, "R",
     "a proposal made by stages (delayed acceptance): each is one Metropolis decision over "
     "auxiliaries that are drawn anew, or a full redraw, and keeps the law that the ratio "
     "divides out at both ends; together they are the same read backwards; a noisy law has one "
     "draw of its noise",
     "else biased; unproven where nothing tells whether a stage is reversible",
     "stages reversible for p make p(x) Q(x, dy) symmetric, and then pi(x) Q(x, dy) min(1, pi(y) "
     "p(x) / (pi(x) p(y))) is (Christen & Fox 2005)",
     "certificates/delayed-acceptance", "counterexamples/delayed-acceptance-cycle"},
    {Rule::cycle, "S",
     "a law declares a `cycle`: its gradient is right in the mean over so many sweeps; all that "
     "reads it are moves of one small step without Metropolis, in every sweep, and they read "
     "nothing of it but its gradient",
     "asymptotic, order 1; else biased, unproven",
     "the steps of a cycle are to first order one step of the whole law, as in a splitting (Lie "
     "& Trotter). A curvature or a second update that follows the same turn is not right on "
     "average: the mean of a product is not the product of means",
     "certificates/sgld-cyclic", "counterexamples/cyclic-psgld"},
    {Rule::unbiased, "U", "the law of an uncorrected move declares `unbiased`",
     "its parameters are harmless", "what they depend on moves the gradient's noise, not its mean",
     "certificates/sgld", ""},
}};

/// Each in the place of its enumerator, and none left out.
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
