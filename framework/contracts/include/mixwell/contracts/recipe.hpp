// The contract of every Recipe, which defines a diffusion by D, Q and Gamma.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/recipe.hpp>

namespace mixwell::contracts {

/// Checks a recipe at random z, with theta of dimension 4, on a target whose metric changes with
/// theta. D and Q must be finite. At one column of z, they must not depend on other columns. D =
/// D', Q = -Q' and N N' = D must hold to 1e-10. A Gamma that declares itself total must equal sum_j
/// d(D_ij + Q_ij) / dz_j by central differences, to 1e-6. Each tolerance is relative to the size of
/// D + Q or of the differences, or to 1 if that size is smaller.
Findings check_recipe(const Recipe& recipe);

}  // namespace mixwell::contracts
