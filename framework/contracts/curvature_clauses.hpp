// Clauses of curvatures: the bound that they declare, and those that follow the slot they move.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/estimator.hpp>

#include <functional>

namespace mixwell::contracts {

/// Column i of H, d x w, for the w columns of the numbers.
Eigen::MatrixXd column_of(const Representation& how, ConstBatch numbers, Index dimension, Index i);

/// The largest entry of H in size, over all columns of the numbers: between the largest eigenvalue
/// and 1 / d of it.
double largest_entry(const Representation& how, ConstBatch numbers, Index dimension);

/// Where `size_at(t)`, t -> 0, follows a matrix to the edge of where it is declared to be
/// bounded: it does not grow any more between t = 1e-8 and 1e-12.
Finding stays_bounded(const std::string& where, const std::function<double(double)>& size_at);

/// Numbers of the curvature at theta (d x w), where the slot has been for long.
Eigen::MatrixXd own_numbers(const OwnCurvature& own, const Eigen::MatrixXd& theta);

/// The fit is pure and finite, and obeys check_representation; a total drift correction is that of
/// the curvature where the slot has been for long; continuity and bounds are as declared.
Findings check_own_curvature(const OwnCurvature& own);

}  // namespace mixwell::contracts
