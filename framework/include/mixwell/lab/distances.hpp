// Distances of draws, matrices and potentials from references, as papers measure them.
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

/// `draws`: n x d, a draw a row. `weights`: n x 1, or empty where each draw counts the same; W
/// their sum. The covariance is sum w (x - m)(x - m)' / (W - sum w^2 / W), divisor n - 1 for equal
/// weights, and NaN for a single draw; both are NaN where a weight is negative or not finite. n
/// >= 1. O(n d^2), a copy of the draws.
MIXWELL_EXPORT Moments moments(const Eigen::MatrixXd& draws, const Eigen::VectorXd& weights = {});

/// sum_ij |a_ij - b_ij| / sum_ij |b_ij| of equal shapes: REM of means, REC of covariances (Zhang,
/// Shahbaba and Zhao, Eq. 4.1). Infinite or NaN where b is 0.
MIXWELL_EXPORT double relative_error(ConstBatch a, ConstBatch b);

/// How far W is from W0 (both c x c) up to order, sign and scale of the rows. With P = W W0^-1,
///   1 / (2 c (c - 1)) [ sum_i (sum_j |p_ij| / max_k |p_ik| - 1)
///                     + sum_j (sum_i |p_ij| / max_k |p_kj| - 1) ],
/// in [0, 1]; 0 if and only if W = D Q W0, Q a permutation, D diagonal and regular; 0 for c = 1.
/// Swapping or flipping rows of W or of W0 does not change it, nor does one scale for all rows; a
/// scale for each row does, unless it is 0. Amari, Cichocki and Yang 1996 without the factor 1 / (2
/// c (c - 1)), which is of Bach and Jordan 2002. NaN if a row or column of P is 0 or some number is
/// not finite. Throws std::invalid_argument unless both are square and of one size.
MIXWELL_EXPORT double amari_distance(const Eigen::MatrixXd& W, const Eigen::MatrixXd& W0);

/// `points` >= 2 places at equal distances, both ends included.
struct GridAxis {
  double from = -1;
  double to = 1;
  Index points = 101;
};

/// All points of a rectangular grid, d x n, the first axis fastest. Throws std::invalid_argument
/// for an axis of fewer than 2 points, one that does not ascend, or no or more than two axes.
MIXWELL_EXPORT Eigen::MatrixXd grid_points(const std::vector<GridAxis>& axes);

/// Relative entropy KL(p || q) = sum_k p_k log(p_k / q_k) in nats, p ~ exp(-u) and q ~ exp(-v)
/// normalised over the points of a common grid: potentials u and v, 1 x n, each up to a constant.
/// It is that of the densities as far as the grid covers both and resolves them: then the error
/// vanishes faster than any power of the distance of points. +inf in u is p = 0; only in v, +inf.
/// NaN where a potential is, or -inf.
MIXWELL_EXPORT double grid_relative_entropy(const Eigen::RowVectorXd& u,
                                            const Eigen::RowVectorXd& v);

/// 1/2 E |grad V - grad U|^2 over n points (gradients d x n): with points drawn from exp(-U), the
/// score-matching distance of exp(-V) from it. NaN for no points. `shares`: 1 x n, weights of the
/// points, such as exp(-U) on a grid (any unit); empty where each counts the same.
MIXWELL_EXPORT double score_distance(ConstBatch grad_u, ConstBatch grad_v,
                                     const Eigen::RowVectorXd& shares = {});

}  // namespace mixwell::diagnostics
