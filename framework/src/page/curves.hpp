// Computes the curves for the plots of one scalar from all its draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>
#include <mixwell/lab/diagnostics.hpp>

#include <vector>

namespace mixwell::page {

using diagnostics::Draws;

/// Rows 0, every, 2 every, ... of x.
Eigen::MatrixXd thinned(const Draws& x, Index every);

/// Rank histogram as a matrix bins x chains. Ranks all draws of all chains together, gives equal
/// draws their mean rank, and counts the ranks of each chain in `bins` bins of equal width. Vehtari
/// et al. 2021, section 4.3. No draw may be NaN. O(n log n).
Eigen::MatrixXd rank_counts(const Draws& x, Index bins);

/// Values of a function on an equidistant grid.
struct Grid {
  double start = 0.0;
  double step = 0.0;
  Eigen::MatrixXd values;
};

/// Density estimates at `points` points over the range of x, per unit of x. Column 0 uses all
/// draws, column 1 + k uses chain chosen[k]. The kernel is Gaussian with Silverman's width, 0.9
/// min(sd, interquartile range / 1.34) n^(-1/5) of all draws. The kernel is reflected at both ends
/// of the range, so each estimate integrates to 1. `w`: weights of the draws (0 x 0: all equal).
/// The draws must be finite and not all equal.
Grid density(const Draws& x, const Draws& w, const std::vector<Index>& chosen, Index points);

/// Counts in `bins` bins of equal width over [low, high]. Values outside [low, high] are not
/// counted.
Eigen::VectorXd histogram(const Draws& x, double low, double high, Index bins);

/// Autocorrelations at lags 0, every, 2 every, ... below `end`. Column 0 is for all chains (mean
/// autocovariance divided by mean variance), column 1 + k for chain chosen[k]. NaN for a constant
/// chain. Requires end <= draws. O(n log n).
Eigen::MatrixXd autocorrelations(const Draws& x, const std::vector<Index>& chosen, Index end,
                                 Index every);

/// The first lag at which the mean autocorrelation is below 0.05, or the number of draws.
Index decorrelation_lag(const Draws& x);

}  // namespace mixwell::page
