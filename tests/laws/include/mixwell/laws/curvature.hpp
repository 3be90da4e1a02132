// The laws of every curvature representation, and of every estimator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/estimator.hpp>
#include <mixwell/laws/law.hpp>

namespace mixwell::laws {

/// Checks one set of numbers (rows x R) in dimension d on random vectors, each to a relative 1e-10:
/// H B = I, S S' = H, B and H symmetric, C C' = B through C S' = I, positive definiteness, log det
/// H; and that regrouped columns take their own numbers with them.
Findings check_representation(const Representation& how, ConstBatch numbers, Index dimension);

/// Fits memories of simulated points of a quartic, d = 6: `fit` is pure (same bits twice), isolated
/// by column (other columns change no bit), finite; and its numbers obey check_representation. A
/// learner is instead fed 0 to 200 correlated draws: pure, finite, and its register obeys
/// check_representation.
Findings check_estimator(const Estimator& estimator);

}  // namespace mixwell::laws
