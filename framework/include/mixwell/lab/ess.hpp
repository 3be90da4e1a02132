// Effective sample sizes and autocorrelation times as single papers define them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/diagnostics.hpp>

#include <span>
#include <string>

/// For comparison with published tables only. Rely on `ess_bulk` and `ess_tail` instead.
///
/// rho_k is the sample autocorrelation of one chain of n draws: sum_i (x_i - m)(x_{i+k} - m)
/// divided by sum_i (x_i - m)^2, where m is the chain's mean. The papers define it for one chain.
/// For several chains, the effective sample sizes are added, as Zhang and Sutton do. Each chain
/// uses its own mean, so none of these estimators detects chains that disagree. NaN ("not
/// available") if a draw is not finite, if a chain is constant or if there is no chain. O(n log n)
/// for n draws in total.
namespace mixwell::diagnostics {

/// n / (1 + 2 sum_{k=1}^{lags} rho_k) with lags = 500: Fu, Luo and Zhang, "Quasi-Newton Hamiltonian
/// Monte Carlo" (2016), section 5.1.
///
/// Since rho_k <= 1, the result is never below n / (1 + 2 lags), and a chain that hardly moves has
/// this value. The noise of all these autocorrelations is summed too: the relative standard
/// deviation of the denominator is about sqrt((4 lags + 2) / n), 0.2 for the paper's n = 50000
/// (Sokal, "Monte Carlo methods in statistical mechanics", 1997, section 3). NaN if the denominator
/// is not positive, and for chains of at most lags + 1 draws: the sum would include all
/// autocorrelations of the chain, which always add up to -1/2.
MIXWELL_EXPORT double ess_qnhmc(const Draws& x, Eigen::Index lags = 500);

/// n / (1 + 2 sum_k rho_k) with Geyer's initial monotone sequence: Girolami and Calderhead,
/// "Riemann manifold Langevin and Hamiltonian Monte Carlo methods", JRSS B 73 (2011), section 7.
/// Used by Zhang and Sutton (2011), section 6, and Zhang, Shahbaba and Zhao (2018), section 4.3.
///
/// Gamma_j = rho_{2j} + rho_{2j+1} for j = 0, 1, ..., each replaced by the smallest so far, as long
/// as it is positive. The autocorrelation time is -1 + 2 sum_j Gamma_j, at least 1, so the result
/// is never above n.
MIXWELL_EXPORT double ess_girolami_calderhead(const Draws& x);

/// 1 + sum_{s >= 1} rho_s: Chen, Fox and Guestrin, "Stochastic Gradient Hamiltonian Monte Carlo"
/// (2014), section 4.1, footnote 2. The unit is draws. The time is about n / (2 * effective sample
/// size) + 1/2.
///
/// The paper does not say where the sum of estimates ends. Here it ends before the first rho_s
/// below 0.05. This is the rule of Hoffman and Gelman, which the authors' program follows. A chain
/// of alternating sign thus has time 1. For several chains, the result is the harmonic mean of
/// their times, so that draws divided by time add up.
MIXWELL_EXPORT double autocorrelation_time_sghmc(const Draws& x);

/// The definition of a column of a summary, so that readers cannot confuse it with another one.
struct Definition {
  const char* key;      ///< in summary.json
  const char* name;     ///< in words
  const char* version;  ///< raised if the numbers change by more than rounding
  const char* agrees;   ///< a program that computes the same numbers, or ""
  const char* source;   ///< paper and equation
};

/// Definitions for the standard columns of every summary, in their order; E-BFMI is last.
MIXWELL_EXPORT std::span<const Definition> standard_definitions();

/// Definitions for the columns that weights change, in their weighted form.
MIXWELL_EXPORT std::span<const Definition> weighted_definitions();

/// An estimator from a paper, requested by name.
struct PaperEstimator {
  const char* id;
  Definition definition;
  double (*of)(const Draws& x);
  bool is_size;   ///< true: an effective sample size; false: a time in draws
  double floor;   ///< no estimate can be below floor * (all draws)
  double length;  ///< in draws; for shorter chains, the estimate is mostly noise
};

/// All estimators from papers.
MIXWELL_EXPORT std::span<const PaperEstimator> paper_estimators();

/// Throws InputError with `option`, the unknown id and the nearest known one.
MIXWELL_EXPORT const PaperEstimator& find_paper_estimator(const std::string& id,
                                                          const std::string& option);

}  // namespace mixwell::diagnostics
