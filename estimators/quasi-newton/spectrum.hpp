// Checks, without forming H, whether a BFGS update keeps the eigenvalues of H within limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "update.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>

namespace mixwell::quasi_newton {

/// H is gamma I outside the span of the accepted pairs, and the matrix `inner` in an orthonormal
/// basis of that span. So the eigenvalues of H are gamma and the eigenvalues of `inner`. The size m
/// of `inner` is at most twice the number of pairs. O(m d + m^3) for each pair.
class Spectrum {
 public:
  Spectrum(double gamma, Index d, Index pairs, const Interval& limits, Workspace& scratch)
      : gamma_(gamma),
        limits_(limits),
        capacity_(std::min(d, 2 * pairs)),
        basis_(scratch.matrix(d, capacity_)),
        inner_(scratch.matrix(capacity_, capacity_)),
        trial_(scratch.matrix(capacity_, capacity_)),
        shifted_(scratch.matrix(capacity_, capacity_)),
        rest_(vector(scratch, d)),
        coordinates_(scratch.matrix(capacity_, 3)) {}

  /// Accepts the update unless an eigenvalue would leave the limits by more than a relative 1e-9.
  bool admits(ConstVectorRef s, ConstVectorRef y, double sy) {
    const Index before = size_;
    coordinates_.setZero();
    resolve(s, coordinates_.col(0));
    resolve(y, coordinates_.col(1));
    MatrixMap trial = square(trial_);
    trial.setIdentity();
    trial *= gamma_;
    trial.topLeftCorner(before, before) = MatrixMap(inner_.data(), before, before);
    update_inverse(trial, coordinates_.col(0).head(size_), coordinates_.col(1).head(size_), sy,
                   coordinates_.col(2).head(size_));
    if (!within_limits(trial)) {
      size_ = before;
      return false;
    }
    square(inner_) = trial;
    return true;
  }

 private:
  MatrixMap square(MatrixMap& in) const { return {in.data(), size_, size_}; }

  /// Writes the coordinates of x in the basis, after the rest of x is added to the basis. Projects
  /// twice, because one projection is not orthogonal up to rounding.
  void resolve(ConstVectorRef x, Vector out) {
    rest_ = x;
    for (int pass = 0; pass < 2; ++pass) {
      for (Index i = 0; i < size_; ++i) {
        const double along = basis_.col(i).dot(rest_);
        out(i) += along;
        rest_ -= along * basis_.col(i);
      }
    }
    const double left = rest_.norm();
    if (size_ == capacity_ || left <= 1e-13 * x.norm()) return;
    basis_.col(size_) = rest_ / left;
    out(size_++) = left;
  }

  bool within_limits(const MatrixMap& trial) {
    constexpr double slack = 1e-9;
    MatrixMap shifted = square(shifted_);
    shifted = -trial;
    shifted.diagonal().array() += limits_.second * (1.0 + slack);
    if (!is_positive(shifted)) return false;
    shifted = trial;
    shifted.diagonal().array() -= limits_.first * (1.0 - slack);
    return is_positive(shifted);
  }

  /// Whether the symmetric matrix in the lower triangle is positive definite. Replaces it by its
  /// Cholesky factor, column by column, because Eigen's factorisation would allocate memory on the
  /// heap.
  static bool is_positive(MatrixMap& matrix) {
    for (Index k = 0; k < matrix.cols(); ++k) {
      if (!(matrix(k, k) > 0.0)) return false;
      auto column = matrix.col(k).tail(matrix.rows() - k);
      column /= std::sqrt(matrix(k, k));
      for (Index j = 1; j < column.size(); ++j) {
        matrix.col(k + j).tail(column.size() - j) -= column(j) * column.tail(column.size() - j);
      }
    }
    return true;
  }

  double gamma_;
  Interval limits_;
  Index capacity_;
  Index size_ = 0;
  MatrixMap basis_;
  MatrixMap inner_;
  MatrixMap trial_;
  MatrixMap shifted_;
  Eigen::Map<Eigen::VectorXd> rest_;
  MatrixMap coordinates_;
};

}  // namespace mixwell::quasi_newton
