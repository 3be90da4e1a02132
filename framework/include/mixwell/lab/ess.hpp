// Effective sample sizes and autocorrelation times as single papers define them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/diagnostics.hpp>

#include <span>
#include <string>

/// For comparison with published tables; `ess_bulk` and `ess_tail` are the ones to rely on.
///
/// rho_k is the sample autocorrelation of one chain of n draws, sum_i (x_i - m)(x_{i+k} - m) over
/// sum_i (x_i - m)^2 with m its mean. The papers define one chain; of several, effective sample
/// sizes are added, as Zhang and Sutton do. Each chain has a mean of its own, so that none of these
/// sees chains that disagree. NaN ("not available") where a draw is not finite, a chain is constant
/// or there is none. O(n log n) for n draws in all.
namespace mixwell::diagnostics {

/// n / (1 + 2 sum_{k=1}^{lags} rho_k) with lags = 500: Fu, Luo and Zhang, "Quasi-Newton Hamiltonian
/// Monte Carlo" (2016), section 5.1.
///
/// Never below n / (1 + 2 lags), as rho_k <= 1: a chain that hardly moves sits on that floor. The
/// noise of all these autocorrelations is summed too: the relative standard deviation of the
/// denominator is about sqrt((4 lags + 2) / n), 0.2 for the paper's n = 50000 (Sokal, "Monte Carlo
/// methods in statistical mechanics", 1997, section 3). NaN where it is not positive, and for
/// chains of at most lags + 1 draws, of which all autocorrelations would be summed: they add up to
/// -1/2 always.
MIXWELL_EXPORT double ess_qnhmc(const Draws& x, Eigen::Index lags = 500);

/// n / (1 + 2 sum_k rho_k) with Geyer's initial monotone sequence: Girolami and Calderhead,
/// "Riemann manifold Langevin and Hamiltonian Monte Carlo methods", JRSS B 73 (2011), section 7;
/// used by Zhang and Sutton (2011), section 6, and Zhang, Shahbaba and Zhao (2018), section 4.3.
///
/// Gamma_j = rho_{2j} + rho_{2j+1} for j = 0, 1, ..., each replaced by the smallest so far, as long
/// as positive; time -1 + 2 sum_j Gamma_j, at least 1: never more than n.
MIXWELL_EXPORT double ess_girolami_calderhead(const Draws& x);

/// 1 + sum_{s >= 1} rho_s: Chen, Fox and Guestrin, "Stochastic Gradient Hamiltonian Monte Carlo"
/// (2014), section 4.1, footnote 2. In draws; about half of n over the effective sample size, plus
/// 1/2.
///
/// The paper does not say where the sum of estimates ends. Here it ends before the first rho_s
/// below 0.05, the rule of Hoffman and Gelman that its authors' program follows; a chain of
/// alternating sign thus has time 1. Of several chains: the harmonic mean, so that draws over time
/// add.
MIXWELL_EXPORT double autocorrelation_time_sghmc(const Draws& x);

/// What stands beside a figure of a summary, so that nobody takes it for another.
struct Definition {
  const char* key;      ///< of summary.json
  const char* name;     ///< in words
  const char* version;  ///< raised whenever its numbers change by more than rounding
  const char* agrees;   ///< the program it agrees with, or ""
  const char* source;   ///< paper and equation
};

/// Of the figures of every summary, in its order; E-BFMI last.
MIXWELL_EXPORT std::span<const Definition> standard_definitions();

/// Of those figures that weights change, as they are with weights.
MIXWELL_EXPORT std::span<const Definition> weighted_definitions();

/// An estimator of one paper, asked for by name.
struct PaperEstimator {
  const char* id;
  Definition definition;
  double (*of)(const Draws& x);
  bool is_size;   ///< an effective sample size; else a time in draws
  double floor;   ///< no estimate can be below floor * (all draws)
  double length;  ///< draws of a chain below which the estimate is mostly noise
};

MIXWELL_EXPORT std::span<const PaperEstimator> paper_estimators();

/// Throws InputError naming `option`, the unknown id and the nearest known one.
MIXWELL_EXPORT const PaperEstimator& find_paper_estimator(const std::string& id,
                                                          const std::string& option);

}  // namespace mixwell::diagnostics
