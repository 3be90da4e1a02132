// Convergence diagnostics and Monte Carlo errors of one scalar quantity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <Eigen/Core>

/// The estimators of Vehtari, Gelman, Simpson, Carpenter, Buerkner, "Rank-normalization, folding,
/// and localization: an improved R-hat", Bayesian Analysis 16 (2021), with the conventions of
/// version 1.4 of the R package posterior. The results agree with that package to 1e-10, with the
/// exceptions in docs/diagnostics.md. They do not depend on the units of the draws.
///
/// NaN means "not available". The result is NaN if a draw is NaN, if the draws are constant (their
/// range is at most 4 units in the last place of the largest |x|), if half chains are too short (an
/// R-hat needs 2 draws in each, an effective sample size 3), or if a draw is infinite and the
/// result depends on values and not only on ranks. Each half of a chain counts as a chain. If the
/// number of draws is odd, the middle draw is omitted.
///
/// `together` is the number of neighbouring chains that use common random numbers and are therefore
/// not independent. Such chains are the slots of one replicate, if a certificate calls their joint
/// law coupled. An R-hat is then computed from the averages of these chains. An effective sample
/// size is the number of independent draws whose average would have the same error as the average
/// of all draws. The time is O(n log n) for n draws in total.
namespace mixwell::diagnostics {

/// draws x chains.
using Draws = Eigen::Ref<const Eigen::MatrixXd>;

/// The larger of the split R-hats of rank-normalised x and of rank-normalised |x - median|. This
/// R-hat therefore detects chains that differ in location or in spread. It is infinite if every
/// half chain is constant and their values differ.
MIXWELL_EXPORT double rhat(const Draws& x, Eigen::Index together = 1);

/// Effective sample size of the rank-normalised draws.
MIXWELL_EXPORT double ess_bulk(const Draws& x, Eigen::Index together = 1);

/// The smaller of the effective sample sizes of 1{x <= 5 % quantile} and 1{x <= 95 % quantile}.
MIXWELL_EXPORT double ess_tail(const Draws& x, Eigen::Index together = 1);

/// Effective sample size for the mean of x, from the autocovariances of x itself.
MIXWELL_EXPORT double ess_mean(const Draws& x, Eigen::Index together = 1);

/// Monte Carlo standard errors of mean(x), sd(x) and quantile(x, p), 0 <= p <= 1.
MIXWELL_EXPORT double mcse_mean(const Draws& x, Eigen::Index together = 1);
MIXWELL_EXPORT double mcse_sd(const Draws& x, Eigen::Index together = 1);
MIXWELL_EXPORT double mcse_quantile(const Draws& x, double p, Eigen::Index together = 1);

/// Estimates from all chains together: mean, standard deviation (divisor n - 1), and the quantile
/// that interpolates linearly between the order statistics at (n - 1) p (type 7 of Hyndman and
/// Fan), 0 <= p <= 1.
MIXWELL_EXPORT double mean(const Draws& x);
MIXWELL_EXPORT double sd(const Draws& x);
MIXWELL_EXPORT double quantile(const Draws& x, double p);

/// Estimates from weighted draws: the average of f is sum w f / W with W = sum w. The weights have
/// the shape of x. Equal weights give the unweighted estimates above. The result is also NaN if a
/// draw is infinite, if a weight is negative or not finite, or if W = 0.
///
/// Let m be the weighted mean and W2 = sum w^2. Then sd^2 = sum w (x - m)^2 / (W - W2 / W), whose
/// divisor is n - 1 for equal weights. A quantile interpolates linearly between the points (p_k,
/// x_k) of the draws in ascending order, p_k = (C_k - w_k / 2 - w_1 / 2) / (W - w_1 / 2 - w_n / 2)
/// with C_k = w_1 + ... + w_k. Draws with weight 0 are omitted. The error of the mean is n
/// mcse_mean(z) / W with the series z = w (x - m). The error of the sd uses the series w ((x - m)^2
/// - v), v = sum w (x - m)^2 / W. Both errors come from the first-order delta method for a ratio
/// of averages.
MIXWELL_EXPORT double weighted_mean(const Draws& x, const Draws& w);
MIXWELL_EXPORT double weighted_sd(const Draws& x, const Draws& w);
MIXWELL_EXPORT double weighted_mcse_mean(const Draws& x, const Draws& w, Eigen::Index together = 1);
MIXWELL_EXPORT double weighted_mcse_sd(const Draws& x, const Draws& w, Eigen::Index together = 1);
MIXWELL_EXPORT double weighted_quantile(const Draws& x, const Draws& w, double p);

/// Monte Carlo standard error of the ess_bulk of one quantity. `draws` has a row for each draw and
/// a column for each chain, where chain = replicate * slots + slot.
///
/// With 4 or more replicates, this is the jackknife error over g = min(replicates, 20) groups of
/// whole replicates: sqrt((g - 1) / g sum (e_k - mean e)^2), where e_k is the ess_bulk without
/// group k, scaled to all chains. With fewer replicates, the rows of `draws` are cut into 8 pieces
/// of equal length, and the error is sqrt(8) times the sd of the pieces' ess_bulk. Each piece must
/// have at least 50 rows. The result is NaN if neither method is possible. The time is O(g n
/// log n).
MIXWELL_EXPORT double ess_bulk_mcse(const Draws& draws, Eigen::Index replicates,
                                    Eigen::Index together = 1);

/// Energy fraction sum_t (E_t - E_{t-1})^2 / sum_t (E_t - mean E)^2 of each chain (Betancourt, "A
/// conceptual introduction to Hamiltonian Monte Carlo", 2017, section 6.1). A value below 0.3 means
/// that new momenta explore the energies too slowly.
MIXWELL_EXPORT Eigen::VectorXd ebfmi(const Draws& energy);

/// The smallest effective sample size whose estimate is reliable: 100 in total, and 10 for each
/// half chain.
///
/// These limits were measured for AR(1) chains and `ess_bulk`. For one chain with an effective
/// sample size of 100, 90 % of the estimates are between 34 % below and 44 % above the true value.
/// With 16, 64 and 256 chains, the estimates are on average 15, 21 and 24 % too low if the
/// effective sample size of each half chain is 5, and 2, 8 and 19 % too low if it is 10.
MIXWELL_EXPORT double least_reliable_ess(Eigen::Index chains);

/// The standard columns of a summary for one variable.
struct StandardFigures {
  double mean, sd, mcse_mean, mcse_sd, q5, q50, q95, rhat, ess_bulk, ess_tail;
};
MIXWELL_EXPORT StandardFigures summarise(const Draws& x, Eigen::Index together = 1);
/// Weighted estimates, except rhat, ess_bulk and ess_tail, which ignore the weights.
MIXWELL_EXPORT StandardFigures summarise(const Draws& x, const Draws& w, Eigen::Index together = 1);

}  // namespace mixwell::diagnostics
