// The contract of every curvature representation, and of every estimator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/integrator.hpp>

namespace mixwell::contracts {

/// Checks one set of numbers (rows x R) in dimension d on random vectors, each to a relative 1e-10:
/// H B = I, S S' = H, B and H symmetric, C C' = B through C S' = I, positive definiteness, log det
/// H; and that regrouped columns take their own numbers with them.
Findings check_representation(const Representation& how, ConstBatch numbers, Index dimension);

/// Fits memories of 0 to 9 simulated points, d = 6, of a convex quartic and of one that is concave
/// about its middle: `fit` is pure (same bits twice), finite, isolated by column (other columns
/// change no bit); its numbers obey check_representation, and H has the bound that its traits
/// declare: where U is flat, where points come together, and far out. A LearntCurvature is fed 0 to
/// 200 correlated draws: pure, finite, and its register obeys check_representation. An OwnCurvature
/// is made at positions where the slot has been for long; a drift correction that declares itself
/// total is compared with differences of H there, and continuity and bounds are looked at.
Findings check_estimator(const Estimator& estimator);

/// What a quasi-Newton estimator adds, on points of a convex quartic in order of descending U,
/// which is also the order of the memory: H y = s and B s = y for the last two points; and z-scores
/// of the covariances of S z and C z, eight with a joint error rate of 5e-6.
Findings check_quasi_newton(const FittedCurvature& estimator);

/// Coupling `factor` (A, M) = (S, I) is the kernel of `mass`, (I, B), in other coordinates: on a
/// law that is not Gaussian, 20 steps of the scheme from p = z with the one and from p = C z with
/// the other end at the same theta, with momenta S'p and p, and with the same energy error; each to
/// 1e-12, relative to its size (the error's: 1 + |U| + K at the start). The numbers are fitted to 5
/// points, or learnt from 200 draws.
Findings check_couplings(const Estimator& estimator, const Integrator& integrator);

}  // namespace mixwell::contracts
