// Distances of draws, matrices and potentials from references, as papers define them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/base/types.hpp>

#include <Eigen/Core>

#include <vector>

namespace mixwell::diagnostics {

/// Mean and covariance of a vector.
struct Moments {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

/// Computes the mean m and the covariance of draws (n x d, n >= 1; one draw for each row).
/// `weights` is n x 1, or empty for equal weights. W is the sum of the weights. The covariance is
/// sum w (x - m)(x - m)' / (W - sum w^2 / W), whose divisor is n - 1 for equal weights. The
/// covariance is NaN for a single draw. Both moments are NaN if a weight is negative or not finite.
/// Takes time O(n d^2), and copies the draws.
MIXWELL_EXPORT Moments moments(const Eigen::MatrixXd& draws, const Eigen::VectorXd& weights = {});

/// Returns sum_ij |a_ij - b_ij| / sum_ij |b_ij|, where a and b have the same shape. Zhang, Shahbaba
/// and Zhao (Eq. 4.1) call it REM for means and REC for covariances. The result is infinite or NaN
/// if b is 0.
MIXWELL_EXPORT double relative_error(ConstBatch a, ConstBatch b);

/// Distance between W and W0 (both c x c) up to order, sign and scale of the rows. P is W W0^-1.
/// The distance is 0 for c = 1. For other c, it is
///   1 / (2 c (c - 1)) [ sum_i (sum_j |p_ij| / max_k |p_ik| - 1)
///                     + sum_j (sum_i |p_ij| / max_k |p_kj| - 1) ],
/// which is in [0, 1]. The distance is 0 if and only if W = D Q W0 with a permutation Q and an
/// invertible diagonal D. It does not change if rows of W or of W0 are swapped or change sign, or
/// if all rows are scaled by the same factor. Different factors for the rows change it, unless it
/// is 0. The definition is from Amari, Cichocki and Yang 1996, but the factor 1 / (2 c (c - 1)) is
/// from Bach and Jordan 2002. The result is NaN if a row or column of P is 0, or if an entry of W
/// or W0 is not finite. Throws std::invalid_argument unless both matrices are square and of the
/// same size.
MIXWELL_EXPORT double amari_distance(const Eigen::MatrixXd& W, const Eigen::MatrixXd& W0);

/// Equidistant points from `from` to `to`, including both ends. There must be at least 2 points.
struct GridAxis {
  double from = -1;
  double to = 1;
  Index points = 101;
};

/// Returns all points of a rectangular grid (d x n), with the first axis fastest. Throws
/// std::invalid_argument unless there are one or two axes with `from` < `to` and at least 2 points.
MIXWELL_EXPORT Eigen::MatrixXd grid_points(const std::vector<GridAxis>& axes);

/// Relative entropy KL(p || q) = sum_k p_k log(p_k / q_k) in nats, where p ~ exp(-u) and q ~
/// exp(-v) are normalised over the points of a common grid. The potentials u and v are 1 x n, each
/// up to a constant. The result approximates the relative entropy of the densities if the grid
/// covers and resolves both. The error then vanishes faster than any power of the grid spacing. If
/// u is +inf at a point, p is 0 there. The result is +inf if only v is +inf at a point, and NaN if
/// a potential is NaN or -inf.
MIXWELL_EXPORT double grid_relative_entropy(const Eigen::RowVectorXd& u,
                                            const Eigen::RowVectorXd& v);

/// 1/2 E |grad V - grad U|^2 over n points (gradients d x n). If the points are drawn from exp(-U),
/// this is the score-matching distance of exp(-V) from exp(-U). The result is NaN if n = 0.
/// `shares` (1 x n) are weights in any unit, such as exp(-U) on a grid, or empty for equal weights.
MIXWELL_EXPORT double score_distance(ConstBatch grad_u, ConstBatch grad_v,
                                     const Eigen::RowVectorXd& shares = {});

}  // namespace mixwell::diagnostics
