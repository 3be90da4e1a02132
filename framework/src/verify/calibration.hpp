// Whether a composition keeps the posterior of data that were drawn with its parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/at_equilibrium.hpp"

namespace mixwell {

/// Whether the model can draw from its prior, and data given the parameters, but not, nor a grid,
/// from its posterior.
bool is_calibrated(const Model& model);

/// Simulation-based calibration from an exact start. For each of 256 to 1024 data sets: theta from
/// the prior, data given theta, the composition on these data (warmed up where it learns), its slot
/// moved to theta, which is an exact draw of that posterior, and 1, 4, 16 sweeps. Over all data
/// sets every statistic of theta and data must be distributed after the sweeps as before:
/// coordinates, entries of grad U (both at most 16), U and theta' grad U, by their ranks and by the
/// spread of these. `budget` counts a gradient over N cases as max(1, N / 1000). Throws InputError
/// for compositions of several slots, which need as many draws of one posterior, and where the
/// budget affords fewer than 256 data sets.
EquilibriumOutcome calibrate(const VerifyTargets& targets, const Model& model,
                             const EquilibriumTest& test);

}  // namespace mixwell
