// The contract of every Integrator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/integrator.hpp>

namespace mixwell::contracts {

/// Tests what the integrator's traits declare, on an anharmonic target with d = 3 and for every
/// coupling (A, M) with a dense preconditioner:
///   involution   10 steps, p -> -p, 10 steps and p -> -p end at the start, to 1e-9
///                (Coupling::one_sided, with M = I, is reversible too, and is tested as well)
///   volume       |det d(theta', p') / d(theta, p)| = 1 to 1e-6, by central differences
///   order        at a fixed time, halving eps divides the energy error by 2^order within 15 %
///                (not for Coupling::one_sided, which conserves another energy, and not for
///                schemes with noise, whose order concerns their distribution; test such an
///                order on a target with a known covariance)
///   noise        for schemes with noise: every step uses new noise, and separate calls for
///                single steps use the same noise as one call for all steps
///   gradient     the gradient left in the phase point is the gradient at the point's theta, and
///                the returned U is U at this theta
///   cost         `gradients` returns the number of gradients used
///   columns      each column uses its own eps; neighbours change no bit of a column
Findings check_integrator(const Integrator& integrator);

}  // namespace mixwell::contracts
