// The standard figures in pieces, for those that compute them many times over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics/autocovariance.hpp"
#include "diagnostics/ranks.hpp"

#include <mixwell/export.hpp>
#include <mixwell/lab/diagnostics.hpp>

namespace mixwell::diagnostics {

/// summarise(x, together). `scores`: of as many ranks as the halves of x have draws.
MIXWELL_INTERNAL StandardFigures summarise(const Draws& x, Eigen::Index together,
                                           const NormalScores& scores);
/// summarise(x, w, together), likewise.
MIXWELL_INTERNAL StandardFigures summarise(const Draws& x, const Draws& w, Eigen::Index together,
                                           const NormalScores& scores);

/// Effective sample size of chains that are split already: at most n log10 n.
double split_ess(const Eigen::MatrixXd& chains, Eigen::Index together, Fourier& fourier);

}  // namespace mixwell::diagnostics
