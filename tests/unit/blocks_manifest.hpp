// The beginning of manifests of blocks in tests: a correlated Gaussian, and two kernels that can be
// distinguished.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace blocks_manifest {

inline const std::string head =
    "mixwell = 1\n[run]\nseed = 5\nreplicates = 6\nwarmup = 20\ndraws = 20\n"
    "[model.m]\nuse = \"gaussian\"\ndimension = 4\ncovariance = \"ones-plus\"\nc = 2.0\n"
    "[estimator.identity]\nuse = \"identity\"\n"
    "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.5\nsteps = 3\n"
    "[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 0.9\n";

}  // namespace blocks_manifest
