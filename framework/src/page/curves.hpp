// What the figures of a run draw, computed from draws x chains of one scalar.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <vector>

namespace mixwell::page {

using diagnostics::Draws;

/// Rows 0, every, 2 every, ... of x.
Eigen::MatrixXd thinned(const Draws& x, Index every);

/// Rank histogram: ranks of all draws together (tied ones share their mean rank) fall into `bins`
/// bins of equal width; the number of them, bins x chains. Vehtari et al. 2021, section 4.3.
/// No draw is NaN. O(n log n).
Eigen::MatrixXd rank_counts(const Draws& x, Index bins);

/// Values of a function on an equidistant grid.
struct Grid {
  double start = 0.0;
  double step = 0.0;
  Eigen::MatrixXd values;
};

/// Density estimates at `points` points over the range of x, per unit of x: column 0 of all draws,
/// column 1 + k of chain chosen[k]. A Gaussian kernel of Silverman's width, 0.9 min(sd,
/// interquartile range / 1.34) n^(-1/5) of all draws, reflected at both ends of the range, so that
/// each integrates to 1. `w` weighs the draws (0 x 0: all alike). All finite and not all the same.
Grid density(const Draws& x, const Draws& w, const std::vector<Index>& chosen, Index points);

/// Counts in `bins` bins of equal width over [low, high]; what is outside counts in no bin.
Eigen::VectorXd histogram(const Draws& x, double low, double high, Index bins);

/// Autocorrelations at lags 0, every, 2 every, ... below `end`: column 0 of all chains (mean
/// autocovariance over mean variance), column 1 + k of chain chosen[k]; NaN of a constant chain.
/// end <= draws. O(n log n).
Eigen::MatrixXd autocorrelations(const Draws& x, const std::vector<Index>& chosen, Index end,
                                 Index every);

/// The first lag at which the mean autocorrelation is below 0.05, or the number of draws.
Index decorrelation_lag(const Draws& x);

}  // namespace mixwell::page
