// Curvatures that follow the slot they move, as their contract sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/estimator.hpp>

namespace mixwell::contracts {

/// Numbers of the curvature at theta (d x w), where the slot has been for long.
Eigen::MatrixXd own_numbers(const OwnCurvature& own, const Eigen::MatrixXd& theta);

/// The fit is pure and finite, and obeys check_representation; a total drift correction is that of
/// the curvature where the slot has been for long; continuity and bounds are as declared.
Findings check_own_curvature(const OwnCurvature& own);

}  // namespace mixwell::contracts
