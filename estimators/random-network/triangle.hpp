// Adds rows to a least-squares problem by updating the triangle R of its QR factorisation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <cmath>

namespace mixwell::random_network {

/// [R y], s x (s + 1), in row-major order: R'R = lambda I + sum A'A and R'y = sum A'g.
using Triangle = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Adds rows to a triangle by Householder reflections of panels of columns. Each reflection mixes
/// one row of R only with the new rows. So R'R grows by A'A with the error of an orthogonal map,
/// and stays symmetric and positive definite for any number of updates. 2 m s^2 multiplications for
/// m rows, nearly all in products of matrices.
class AddRows {
 public:
  /// `rows` is [A g], m x (s + 1); it is overwritten.
  AddRows(Triangle triangle, MatrixMap rows, Workspace& scratch)
      : T_(triangle), A_(rows), scratch_(scratch) {}

  void run() {
    const Index s = T_.rows();
    for (Index first = 0; first < s; first += panel) {
      const Workspace::Frame frame(scratch_);
      const Index width = std::min(panel, s - first);
      MatrixMap U = scratch_.matrix(A_.rows(), width);
      MatrixMap V = scratch_.matrix(width, width);
      reflect_panel(first, U, V);
      apply(first, U, V);
    }
  }

 private:
  static constexpr Index panel = 32;
  static constexpr Index tile = 128;

  /// Q = I - [I; U] V [I; U]' maps the panel's columns of A to zero; V is upper triangular.
  void reflect_panel(Index first, MatrixMap U, MatrixMap V) {
    const Index width = U.cols();
    V.setZero();
    for (Index j = 0; j < width; ++j) {
      const double tau = reflect_column(first + j, U.col(j));
      for (Index c = first + j + 1; c < first + width; ++c) {
        const double along = tau * (T_(first + j, c) + U.col(j).dot(A_.col(c)));
        T_(first + j, c) -= along;
        A_.col(c) -= along * U.col(j);
      }
      V(j, j) = tau;
      for (Index i = 0; i < j; ++i) {
        double sum = 0.0;
        for (Index k = i; k < j; ++k) sum += V(i, k) * U.col(k).dot(U.col(j));
        V(i, j) = -tau * sum;
      }
    }
  }

  /// The reflection I - tau [1; u] [1; u]' that maps [R_jj; A_j] to [R_jj; 0]; returns tau.
  template <class Column>
  double reflect_column(Index j, Column u) {
    const double alpha = T_(j, j);
    const double rest = A_.col(j).squaredNorm();
    if (rest == 0.0) {
      u.setZero();
      return 0.0;
    }
    const double beta = -std::copysign(std::sqrt(alpha * alpha + rest), alpha);
    u = A_.col(j) / (alpha - beta);
    A_.col(j).setZero();
    T_(j, j) = beta;
    return (beta - alpha) / beta;
  }

  /// Applies the panel's reflections to all columns after it, one tile at a time, because Eigen
  /// allocates no memory for small products.
  void apply(Index first, const MatrixMap& U, const MatrixMap& V) {
    const Index width = U.cols();
    for (Index c = first + width; c < T_.cols(); c += tile) {
      const Workspace::Frame frame(scratch_);
      const Index n = std::min(tile, T_.cols() - c);
      MatrixMap along = scratch_.matrix(width, n);
      MatrixMap turned = scratch_.matrix(width, n);
      along.noalias() = U.transpose() * A_.middleCols(c, n);
      along += T_.block(first, c, width, n);
      turned.noalias() = V.transpose().template triangularView<Eigen::Lower>() * along;
      T_.block(first, c, width, n) -= turned;
      A_.middleCols(c, n).noalias() -= U * turned;
    }
  }

  Triangle T_;
  MatrixMap A_;
  Workspace& scratch_;
};

}  // namespace mixwell::random_network
