// Distances between results (draws, matrices or potentials) and their references.
// SPDX-License-Identifier: Apache-2.0
#include "base/not_available.hpp"

#include <mixwell/lab/distances.hpp>

#include <Eigen/LU>

#include <cmath>
#include <stdexcept>
#include <string>

namespace mixwell::diagnostics {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

/// Log of exp(-u) / sum exp(-u). Adding a constant to u has no effect.
RowVectorXd log_shares(const RowVectorXd& u) {
  const double least = u.minCoeff<Eigen::PropagateNaN>();
  const RowVectorXd centred = u.array() - least;
  return -centred.array() - std::log((-centred.array()).exp().sum());
}

/// sum_i (sum_j |p_ij| / max_k |p_ik| - 1) of |P|.
double excess(const MatrixXd& size) {
  return ((size.rowwise().sum().array() / size.rowwise().maxCoeff().array()) - 1).sum();
}

void require(bool holds, const std::string& rule) {
  if (!holds) throw std::invalid_argument(rule);
}

VectorXd places(const GridAxis& axis) {
  require(axis.points >= 2, "grid_points: an axis must have at least 2 points (got " +
                                std::to_string(axis.points) + ")");
  require(axis.from < axis.to, "grid_points: `from` must be below `to` (got " +
                                   std::to_string(axis.from) + " and " + std::to_string(axis.to) +
                                   ")");
  return VectorXd::LinSpaced(axis.points, axis.from, axis.to);
}

}  // namespace

Moments moments(const MatrixXd& draws, const VectorXd& weights) {
  const VectorXd w = weights.size() > 0 ? weights : VectorXd::Ones(draws.rows());
  if (!w.allFinite() || (w.array() < 0).any())
    return {VectorXd::Constant(draws.cols(), not_available),
            MatrixXd::Constant(draws.cols(), draws.cols(), not_available)};
  const double total = w.sum();
  const RowVectorXd first = draws.row(0);  // origin, so that a large offset costs no digits
  MatrixXd centred = draws.rowwise() - first;
  const RowVectorXd shift = w.transpose() * centred / total;
  centred.rowwise() -= shift;
  const double divisor = total - w.squaredNorm() / total;
  MatrixXd covariance = centred.transpose() * (w.asDiagonal() * centred) / divisor;
  return {(first + shift).transpose(), std::move(covariance)};
}

double relative_error(ConstBatch a, ConstBatch b) {
  return (a - b).cwiseAbs().sum() / b.cwiseAbs().sum();
}

double amari_distance(const MatrixXd& W, const MatrixXd& W0) {
  const Index c = W.rows();
  require(c > 0 && W.cols() == c && W0.rows() == c && W0.cols() == c,
          "amari_distance: both matrices must be square and of the same size");
  if (!W.allFinite() || !W0.allFinite()) return not_available;
  const Eigen::FullPivLU<MatrixXd> factor(W0.transpose());
  if (!factor.isInvertible()) return not_available;
  const MatrixXd transposed = factor.solve(W.transpose());  // the transpose of P
  const MatrixXd size = transposed.transpose().cwiseAbs();
  const double sum = excess(size) + excess(size.transpose());
  const auto n = static_cast<double>(c);
  return c == 1 ? sum : sum / (2 * n * (n - 1));
}

MatrixXd grid_points(const std::vector<GridAxis>& axes) {
  require(
      axes.size() == 1 || axes.size() == 2,
      "grid_points: the number of axes must be 1 or 2 (got " + std::to_string(axes.size()) + ")");
  const VectorXd first = places(axes[0]);
  if (axes.size() == 1) return first.transpose();
  const VectorXd second = places(axes[1]);
  MatrixXd points(2, first.size() * second.size());
  for (Index k = 0; k < second.size(); ++k) {
    points.row(0).segment(k * first.size(), first.size()) = first.transpose();
    points.row(1).segment(k * first.size(), first.size()).setConstant(second[k]);
  }
  return points;
}

double grid_relative_entropy(const RowVectorXd& u, const RowVectorXd& v) {
  const RowVectorXd log_p = log_shares(u);
  const RowVectorXd log_q = log_shares(v);
  double sum = 0;
  for (Index k = 0; k < log_p.size(); ++k) {
    if (std::isnan(log_p[k]) || std::isnan(log_q[k])) return not_available;
    if (const double p = std::exp(log_p[k]); p > 0) sum += p * (log_p[k] - log_q[k]);
  }
  return sum;
}

double score_distance(ConstBatch grad_u, ConstBatch grad_v, const RowVectorXd& shares) {
  const RowVectorXd squares = (grad_v - grad_u).colwise().squaredNorm();
  if (squares.size() == 0) return not_available;
  if (shares.size() == 0) return 0.5 * squares.mean();
  return 0.5 * squares.dot(shares) / shares.sum();
}

}  // namespace mixwell::diagnostics
