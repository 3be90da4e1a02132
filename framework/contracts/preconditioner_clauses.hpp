// The clauses about declared bounds, and those about every OwnPreconditioner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/contracts/finding.hpp>
#include <mixwell/estimator.hpp>

#include <functional>

namespace mixwell::contracts {

/// Column i of H, d x w, for the w columns of the numbers.
Eigen::MatrixXd column_of(const Representation& how, ConstBatch numbers, Index dimension, Index i);

/// The largest absolute entry of H over all columns of the numbers. It is at least 1 / d of the
/// largest eigenvalue, and at most the largest eigenvalue.
double largest_entry(const Representation& how, ConstBatch numbers, Index dimension);

/// Follows a matrix of size `size_at(t)`, t -> 0, to the edge of the region where the matrix is
/// declared bounded. The size must not grow between t = 1e-8 and t = 1e-12.
Finding stays_bounded(const std::string& where, const std::function<double(double)>& size_at);

/// Numbers of the preconditioner at theta (d x w) after the slot has stayed at theta for a long
/// time.
Eigen::MatrixXd own_numbers(const OwnPreconditioner& own, const Eigen::MatrixXd& theta);

/// Checks that the fit is pure and finite, and passes check_representation. A total drift
/// correction must match the preconditioner where the slot has been for a long time. Continuity and
/// bounds must be as declared.
Findings check_own_preconditioner(const OwnPreconditioner& own);

}  // namespace mixwell::contracts
