// Inverse and log determinant of a small matrix in place, without allocation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Core>

#include <cmath>
#include <limits>
#include <utility>

namespace mixwell::ica {

namespace detail {

/// The row, from row k on, with the largest entry of column k.
inline Index pivot_row(const MatrixMap& A, Index k) {
  Index row = k;
  for (Index i = k + 1; i < A.rows(); ++i)
    if (std::abs(A(i, k)) > std::abs(A(row, k))) row = i;
  return row;
}

/// One Gauss-Jordan step with pivot A(k, k): column k of A becomes column k of the inverse.
inline void eliminate(MatrixMap& A, Index k) {
  const double pivot = A(k, k);
  A(k, k) = 1;
  A.row(k) /= pivot;
  for (Index i = 0; i < A.rows(); ++i) {
    if (i == k) continue;
    const double factor = A(i, k);
    A(i, k) = 0;
    A.row(i) -= factor * A.row(k);
  }
}

}  // namespace detail

/// A (c x c) -> A^-1 by Gauss-Jordan elimination with row pivots; returns log|det A|. If a pivot is
/// 0, or the inverse exceeds the range of doubles, A is singular: the result is -inf and A is 0.
/// NaN gives NaN. Costs 2 c^3 multiplications and additions.
inline double invert(MatrixMap A, Workspace& scratch) {
  const Workspace::Frame frame(scratch);
  if (A.hasNaN()) {
    A.setConstant(std::numeric_limits<double>::quiet_NaN());
    return std::numeric_limits<double>::quiet_NaN();
  }
  Index* const rows = scratch.objects<Index>(A.rows());
  double log_det = 0;
  for (Index k = 0; k < A.rows(); ++k) {
    rows[k] = detail::pivot_row(A, k);
    if (rows[k] != k) A.row(k).swap(A.row(rows[k]));
    log_det += std::log(std::abs(A(k, k)));
    detail::eliminate(A, k);
  }
  for (Index k = A.rows() - 1; k >= 0; --k)
    if (rows[k] != k) A.col(k).swap(A.col(rows[k]));
  if (A.allFinite()) return log_det;
  A.setZero();
  return -std::numeric_limits<double>::infinity();
}

}  // namespace mixwell::ica
