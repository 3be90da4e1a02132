// The contract of every recipe of a diffusion.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/recipe.hpp>

namespace mixwell::contracts {

/// At random z, theta of dimension 4, on a target with a metric that changes: the numbers of D and
/// Q are finite, and of each column alone; D = D', Q = -Q' and N N' = D to 1e-10; and a Gamma that
/// declares itself total is sum_j d(D_ij + Q_ij) / dz_j by central differences, to 1e-6, all
/// relative to the size of D + Q or of the differences, 1 at least.
Findings check_recipe(const Recipe& recipe);

}  // namespace mixwell::contracts
