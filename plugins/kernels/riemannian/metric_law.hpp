// The distribution of a momentum whose mass matrix is a metric, p ~ N(0, G(theta)).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>

namespace mixwell::riemannian {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;

/// Replaces G (d x d, symmetric) by its Cholesky factor: the lower triangle becomes L with G = L
/// L'. Returns false if G is not positive definite.
inline bool factorise(MatrixMap G) {
  return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(G).info() == Eigen::Success && G.allFinite();
}

/// 1/2 log det G = the sum of log L_ii.
inline double half_log_det(ConstMatrixMap L) { return L.diagonal().array().log().sum(); }

/// The numbers of a MetricLaw.
struct MetricNumbers : edge::Numbers<Role::parameter> {};

/// N(0, G). Numbers of a column: L (d x d), then 1/2 log det G. If G is not positive definite,
/// these numbers and every energy are NaN.
class MetricLaw final : public Potential {
 public:
  static Index rows(Index dimension) noexcept { return dimension * dimension + 1; }

  /// p = L z. d^2 / 2 multiplications a column.
  void draw(const Numbers& numbers, const edge::Noise& noise, Batch out, Workspace&) const {
    const Index d = out.rows();
    const MatrixMap z = noise.normals(d, out.cols());
    for (Index j = 0; j < z.cols(); ++j) {
      const ConstMatrixMap L(numbers.column(j), d, d);
      out.col(j).noalias() = L.triangularView<Eigen::Lower>() * z.col(j);
    }
  }

  /// u = 1/2 p' G^-1 p + 1/2 log det G, the negative log density up to a constant; gradient = G^-1
  /// p. Takes d^2 multiplications for each column.
  void evaluate(const Numbers& numbers, ConstBatch p, const Evaluation& out) const override {
    const Index d = p.rows();
    Batch gradient = out.gradient;
    for (Index j = 0; j < p.cols(); ++j) {
      const ConstMatrixMap L(numbers.column(j), d, d);
      Vector v(gradient.col(j).data(), d);
      v = p.col(j);
      L.triangularView<Eigen::Lower>().solveInPlace(v);
      if (out.wants_potential()) out.u()(j) = 0.5 * v.squaredNorm() + numbers.column(j)[d * d];
      L.triangularView<Eigen::Lower>().transpose().solveInPlace(v);
    }
  }
  double gradient_cost() const noexcept override { return 0.0; }
};

/// Writes the numbers of the MetricLaw at a position. Takes one metric and d^3 / 3 multiplications
/// for each column.
inline void write_metric_law(Columns& block, const Metric& metric, edge::PointPosition theta,
                             edge::Out<MetricNumbers> numbers) {
  const Index d = theta.rows();
  MatrixMap G = block.scratch().matrix(d * d, theta.cols());
  metric.metric(theta, G, block.scratch());
  for (Index j = 0; j < theta.cols(); ++j) {
    MatrixMap L(G.col(j).data(), d, d);
    if (!factorise(L)) L.setConstant(std::numeric_limits<double>::quiet_NaN());
    numbers.col(j).head(d * d) = G.col(j);
    numbers(d * d, j) = half_log_det(ConstMatrixMap(L.data(), d, d));
  }
}

}  // namespace mixwell::riemannian
