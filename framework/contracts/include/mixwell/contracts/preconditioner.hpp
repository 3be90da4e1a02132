// The contract of every preconditioner representation, and of every estimator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/estimator.hpp>
#include <mixwell/integrator.hpp>

namespace mixwell::contracts {

/// Checks one set of numbers (rows x R) in dimension d on random vectors, each identity to a
/// relative 1e-10: H B = I, S S' = H, B and H symmetric, C C' = B through C S' = I, positive
/// definiteness, and log det H. Also checks that regrouped columns keep their own numbers.
Findings check_representation(const Representation& how, ConstBatch numbers, Index dimension);

/// Fits memories of 0 to 9 simulated points (d = 6) of a convex quartic, and of a quartic that is
/// concave in its middle. `fit` must be pure (the same bits twice), finite, and isolated by column
/// (other columns change no bit). Its numbers must satisfy check_representation. H must have the
/// bound that its traits declare: where U is flat, where points meet, and far out. A
/// LearntPreconditioner gets 0 to 200 correlated draws. It must be pure and finite, and its history
/// must satisfy check_representation. An OwnPreconditioner is computed at positions where the slot
/// has been for a long time. A drift correction that declares itself total is compared with
/// differences of H at these positions. Continuity and bounds are checked too.
Findings check_estimator(const Estimator& estimator);

/// Checks the additional guarantees of a quasi-Newton estimator, on points of a convex quartic
/// whose U descends in the order of the memory. H y = s and B s = y must hold for the last two
/// points. The covariances of S z and C z are tested with eight z-scores, whose joint error rate is
/// 5e-6.
Findings check_quasi_newton(const FittedPreconditioner& estimator);

/// Checks that the coupling `factor`, (A, M) = (S, I), is the kernel of `mass`, (I, B), in other
/// coordinates. On a target that is not Gaussian, 20 steps from p = z with `factor` and from p = C
/// z with `mass` must end at the same theta, with momenta S'p and p, and with the same energy
/// error. All three must agree to 1e-12 relative to their sizes. The size for the energy error is 1
/// + |U| + K at the start. The numbers are fitted to 5 points, or learnt from 200 draws.
Findings check_couplings(const Estimator& estimator, const Integrator& integrator);

}  // namespace mixwell::contracts
