// The contract of every Integrator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/integrator.hpp>

namespace mixwell::contracts {

/// Tests what the integrator's traits declare, on an anharmonic target in d = 3 and for every
/// coupling (A, M) with a dense curvature:
///   involution   10 steps, p -> -p, 10 steps, p -> -p come back to the start to 1e-9
///                (not for Coupling::one_sided with M = I: reversible too, tested as well)
///   volume       |det d(theta', p') / d(theta, p)| = 1 to 1e-6, by central differences
///   order        at fixed time, halving eps divides the energy error by 2^order within 15 %
///                (not for Coupling::one_sided, which conserves another energy, nor for schemes
///                with noise, whose order is that of their law: test that on a known covariance)
///   noise        of a scheme that has some: fresh in every step, the same where steps are taken
///                one by one
///   gradient     the gradient left in the phase is that at its theta, and U is U there
///   cost         `gradients` tells the gradients spent
///   columns      each column's eps is its own; neighbours change no bit of a column
Findings check_integrator(const Integrator& integrator);

}  // namespace mixwell::contracts
