// Effective sample sizes and autocorrelation times as individual papers define them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/diagnostics.hpp>

#include <span>
#include <string>

/// Use these estimators only for comparison with published tables. Otherwise rely on `ess_bulk` and
/// `ess_tail`.
///
/// rho_k is the sample autocorrelation of one chain of n draws: sum_i (x_i - m)(x_{i+k} - m)
/// divided by sum_i (x_i - m)^2, where m is the chain's mean. The papers define their estimators
/// for one chain. For several chains, the effective sample sizes are added, as in Zhang and Sutton.
/// Each chain uses its own mean, so none of these estimators detects chains that disagree. The
/// result is NaN ("not available") if a draw is not finite, if a chain is constant or if there is
/// no chain. The time is O(n log n) for n draws in total.
namespace mixwell::diagnostics {

/// n / (1 + 2 sum_{k=1}^{lags} rho_k) with lags = 500: Fu, Luo and Zhang, "Quasi-Newton Hamiltonian
/// Monte Carlo" (2016), section 5.1.
///
/// Since rho_k <= 1, the result is never below n / (1 + 2 lags). It is close to this value for a
/// chain that hardly moves. The sum also contains the noise of all these autocorrelations: the
/// relative standard deviation of the denominator is about sqrt((4 lags + 2) / n), 0.2 for the
/// paper's n = 50000 (Sokal, "Monte Carlo methods in statistical mechanics", 1997, section 3). The
/// result is NaN if the denominator is not positive. It is also NaN for chains of at most lags + 1
/// draws, because the sum would then include all autocorrelations of the chain, which always add up
/// to -1/2.
MIXWELL_EXPORT double ess_qnhmc(const Draws& x, Eigen::Index lags = 500);

/// n / (1 + 2 sum_k rho_k) with Geyer's initial monotone sequence: Girolami and Calderhead,
/// "Riemann manifold Langevin and Hamiltonian Monte Carlo methods", JRSS B 73 (2011), section 7.
/// Used by Zhang and Sutton (2011), section 6, and Zhang, Shahbaba and Zhao (2018), section 4.3.
///
/// Each Gamma_j = rho_{2j} + rho_{2j+1}, j = 0, 1, ..., is replaced by the smallest Gamma up to j.
/// The sum ends before the first Gamma_j that is not positive. The autocorrelation time is -1 + 2
/// sum_j Gamma_j, but at least 1, so the result is never above n.
MIXWELL_EXPORT double ess_girolami_calderhead(const Draws& x);

/// 1 + sum_{s >= 1} rho_s: Chen, Fox and Guestrin, "Stochastic Gradient Hamiltonian Monte Carlo"
/// (2014), section 4.1, footnote 2. The unit is draws. The time is about n / (2 * effective sample
/// size) + 1/2.
///
/// The paper does not specify where the sum of estimates ends. Here it ends before the first rho_s
/// below 0.05. This is the rule of Hoffman and Gelman, which the authors' program follows. If
/// rho_1 < 0.05, as in a chain of alternating sign, the time is therefore 1. For several chains,
/// the result T is the harmonic mean of their times. The total number of draws divided by T is then
/// the sum of n / time over the chains.
MIXWELL_EXPORT double autocorrelation_time_sghmc(const Draws& x);

/// The definition of a column of a summary, which distinguishes the column from similar ones.
struct Definition {
  const char* key;      ///< its key in summary.json
  const char* name;     ///< in words
  const char* version;  ///< version number, increased if values change beyond rounding errors
  const char* agrees;   ///< a program that computes the same numbers, or ""
  const char* source;   ///< paper and equation
};

/// Definitions for the standard columns of every summary, in their order; E-BFMI is last.
MIXWELL_EXPORT std::span<const Definition> standard_definitions();

/// Definitions of the summary columns that use the weights of the draws.
MIXWELL_EXPORT std::span<const Definition> weighted_definitions();

/// An estimator from a paper, requested by name.
struct PaperEstimator {
  const char* id;
  Definition definition;
  double (*of)(const Draws& x);
  bool is_size;   ///< true: an effective sample size; false: a time in draws
  double floor;   ///< no estimate can be below `floor` times the total number of draws
  double length;  ///< in draws; estimates from shorter chains are mostly noise
};

/// All estimators from papers.
MIXWELL_EXPORT std::span<const PaperEstimator> paper_estimators();

/// Throws InputError if the id is unknown. The message contains `option`, the id and the nearest
/// known id.
MIXWELL_EXPORT const PaperEstimator& find_paper_estimator(const std::string& id,
                                                          const std::string& option);

}  // namespace mixwell::diagnostics
