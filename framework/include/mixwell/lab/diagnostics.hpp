// Convergence diagnostics and Monte Carlo errors of one scalar quantity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <Eigen/Core>

/// The estimators of Vehtari, Gelman, Simpson, Carpenter, Buerkner, "Rank-normalization, folding,
/// and localization: an improved R-hat", Bayesian Analysis 16 (2021), with the conventions of
/// version 1.4 of the R package posterior, with which they agree to 1e-10 but for what
/// docs/diagnostics.md lists. They do not depend on the units of the draws.
///
/// NaN means "not available": some draw is NaN; the draws are constant (their range is at most 4
/// units in the last place of the largest |x|); half chains are too short (2 draws for an R-hat, 3
/// for an effective sample size); or, where the values and not only their ranks count, some draw
/// is infinite. Each half of a chain counts as a chain; of an odd number of draws the middle one is
/// left out. together: so many neighbouring chains are moved with common random numbers (the slots
/// of one replicate, where a certificate calls their joint law coupled) and are no independent
/// evidence: an R-hat is that of their averages, and an effective size the number of independent
/// draws whose average has the error that theirs has. Time O(n log n) for n draws in all.
namespace mixwell::diagnostics {

/// draws x chains.
using Draws = Eigen::Ref<const Eigen::MatrixXd>;

/// The larger of the split R-hats of rank-normalised x and of rank-normalised |x - median|, so that
/// chains that differ in location or in spread both show. Infinite where no half of a chain moves
/// and they stand at different places.
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

/// All chains pooled: mean, standard deviation (n - 1), and the quantile that interpolates linearly
/// between the order statistics at (n - 1) p (type 7 of Hyndman and Fan), 0 <= p <= 1.
MIXWELL_EXPORT double mean(const Draws& x);
MIXWELL_EXPORT double sd(const Draws& x);
MIXWELL_EXPORT double quantile(const Draws& x, double p);

/// Figures in which a draw counts as its weight says: f has the average sum w f / W, W = sum w. The
/// weights have the shape of x; equal weights give the figures above. NaN also where a draw
/// is infinite, a weight negative or not finite, or W = 0.
///
/// With m the weighted mean and W2 = sum w^2, sd^2 = sum w (x - m)^2 / (W - W2 / W), the divisor of
/// which is n - 1 for equal weights. A quantile interpolates linearly between the points (p_k, x_k)
/// of the draws in ascending order, p_k = (C_k - w_k / 2 - w_1 / 2) / (W - w_1 / 2 - w_n / 2) with
/// C_k = w_1 + ... + w_k; draws without weight are left out. The error of the mean is that of the
/// series z = w (x - m), n mcse_mean(z) / W, and the error of the sd that of w ((x - m)^2 - v),
/// v = sum w (x - m)^2 / W, by the delta method: a ratio of averages, to first order in the error.
MIXWELL_EXPORT double weighted_mean(const Draws& x, const Draws& w);
MIXWELL_EXPORT double weighted_sd(const Draws& x, const Draws& w);
MIXWELL_EXPORT double weighted_mcse_mean(const Draws& x, const Draws& w, Eigen::Index together = 1);
MIXWELL_EXPORT double weighted_mcse_sd(const Draws& x, const Draws& w, Eigen::Index together = 1);
MIXWELL_EXPORT double weighted_quantile(const Draws& x, const Draws& w, double p);

/// Monte Carlo standard error of the ess_bulk of one quantity, draws x
/// (replicates * slots), chain = replicate * slots + slot.
///
/// From 4 replicates on, the jackknife over g = min(replicates, 20) groups of whole replicates:
/// with e_k the ess_bulk without group k, scaled to all chains, sqrt((g - 1) / g sum (e_k - mean
/// e)^2). With fewer, every chain is cut into 8 pieces in time, and the error is sqrt(8) sd of the
/// 8 pieces' ess_bulk, which must have at least 50 draws a chain. NaN where neither can be had. O(g
/// n log n).
MIXWELL_EXPORT double ess_bulk_mcse(const Draws& draws, Eigen::Index replicates,
                                    Eigen::Index together = 1);

/// Energy fraction sum_t (E_t - E_{t-1})^2 / sum_t (E_t - mean E)^2 of each chain (Betancourt, "A
/// conceptual introduction to Hamiltonian Monte Carlo", 2017, section 6.1). Below 0.3 the momentum
/// refreshment explores the energies too slowly.
MIXWELL_EXPORT Eigen::VectorXd ebfmi(const Draws& energy);

/// Below this an estimate of an effective sample size says little about itself: 100 in all, and 10
/// for each half chain.
///
/// Measured for AR(1) chains and `ess_bulk`: at 100 from one chain, 90 % of estimates lie within
/// -34 % and +44 % of the truth; at 5 in each half chain they are 15, 21 and 24 % too low on
/// average with 16, 64 and 256 chains, at 10 still 2, 8 and 19 %.
MIXWELL_EXPORT double least_reliable_ess(Eigen::Index chains);

/// What a summary says of one variable.
struct StandardFigures {
  double mean, sd, mcse_mean, mcse_sd, q5, q50, q95, rhat, ess_bulk, ess_tail;
};
MIXWELL_EXPORT StandardFigures summarise(const Draws& x, Eigen::Index together = 1);
/// Weighted, but for rhat, ess_bulk and ess_tail, which are those of the draws without weights.
MIXWELL_EXPORT StandardFigures summarise(const Draws& x, const Draws& w, Eigen::Index together = 1);

}  // namespace mixwell::diagnostics
