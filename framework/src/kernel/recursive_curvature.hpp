// The register of a curvature that every step of an accepted trajectory updates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/kernel.hpp>
#include <mixwell/recursive_curvature.hpp>

#include <memory>

namespace mixwell {

/// Adds the register `SITE/matrix`: the numbers before any pair. Throws InputError where a setting
/// of the estimator has no meaning for pairs that come for ever.
Variable add_matrix(KernelGraph& graph, const Site& site, const Estimator& estimator,
                    const RecursiveCurvature& recursive);

/// After the transition: the pairs along `path` (path_rows x w, its start included) in the columns
/// whose slot is at its end. Throws InputError where there is no path.
void update_matrix(KernelGraph& graph, const Site& site, Variable matrix,
                   std::shared_ptr<const RecursiveCurvature> recursive, Value path);

}  // namespace mixwell
