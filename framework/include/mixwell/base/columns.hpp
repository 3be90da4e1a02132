// Dot products of matching columns of two batches, fast even for small dimensions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/types.hpp>

namespace mixwell {
namespace detail {

/// D is known at compile time, so the compiler unrolls the loop over i and vectorises across
/// columns.
template <int D>
void short_column_dots(const double* a, const double* b, Index columns, double* out) {
  for (Index j = 0; j < columns; ++j) {
    double sum = 0.0;
    for (int i = 0; i < D; ++i) sum += a[j * D + i] * b[j * D + i];
    out[j] = sum;
  }
}

}  // namespace detail

/// Computes out(j) = a(:, j)' b(:, j). Both batches must be contiguous. O(d) for each column.
inline void column_dots(ConstBatch a, ConstBatch b, Row out) {
  switch (a.rows()) {
    case 1:
      return detail::short_column_dots<1>(a.data(), b.data(), a.cols(), out.data());
    case 2:
      return detail::short_column_dots<2>(a.data(), b.data(), a.cols(), out.data());
    case 3:
      return detail::short_column_dots<3>(a.data(), b.data(), a.cols(), out.data());
    case 4:
      return detail::short_column_dots<4>(a.data(), b.data(), a.cols(), out.data());
    default:
      for (Index j = 0; j < a.cols(); ++j) out(j) = a.col(j).dot(b.col(j));
  }
}

}  // namespace mixwell
