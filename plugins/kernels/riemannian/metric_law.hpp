// The law of a momentum with a metric as its mass, p ~ N(0, G(theta)), as a value of the graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>

namespace mixwell::riemannian {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVectorRef = const Eigen::Ref<const Eigen::VectorXd>&;

/// Cholesky factor of G (d x d, symmetric) in its own memory: the lower triangle becomes L with
/// G = L L'. False if G is not positive definite.
inline bool factorise(MatrixMap G) {
  return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(G).info() == Eigen::Success && G.allFinite();
}

/// 1/2 log det G = the sum of log L_ii.
inline double half_log_det(ConstMatrixMap L) { return L.diagonal().array().log().sum(); }

/// N(0, G). Numbers of a column: L (d x d), then 1/2 log det G; NaN where G is not positive
/// definite, so that every energy there is.
class MetricLaw final : public Potential {
 public:
  static Index rows(Index dimension) noexcept { return dimension * dimension + 1; }

  /// p = L z; out must not alias z. d^2 / 2 multiplications.
  static void draw(const Numbers& numbers, ConstBatch z, Batch out) {
    const Index d = z.rows();
    for (Index j = 0; j < z.cols(); ++j) {
      const ConstMatrixMap L(numbers.column(j), d, d);
      out.col(j).noalias() = L.triangularView<Eigen::Lower>() * z.col(j);
    }
  }

  /// u = 1/2 p' G^-1 p + 1/2 log det G, the negative log density up to a constant; gradient =
  /// G^-1 p. d^2 multiplications a column.
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

/// Inputs: law of the target, theta. Output: the numbers of the MetricLaw there. One metric and d^3
/// / 3 multiplications a column.
class MetricLawBody final : public Body {
 public:
  void run(Block& block) const override {
    const Metric& metric = *block.function<Potential>(0).as_metric();
    const ConstMatrixMap theta = block.in(1);
    const Index d = theta.rows();
    MatrixMap numbers = block.out(0);
    MatrixMap G = block.scratch().matrix(d * d, theta.cols());
    metric.metric(theta, G, block.scratch());
    for (Index j = 0; j < theta.cols(); ++j) {
      MatrixMap L(G.col(j).data(), d, d);
      if (!factorise(L)) L.setConstant(std::numeric_limits<double>::quiet_NaN());
      numbers.col(j).head(d * d) = G.col(j);
      numbers(d * d, j) = half_log_det(ConstMatrixMap(L.data(), d, d));
    }
  }
};

/// Inputs: law, noise. Output: the momentum's next version.
class RefreshBody final : public Body {
 public:
  void run(Block& block) const override {
    MatrixMap p = block.out(0);
    MatrixMap z = block.scratch().matrix(p.rows(), p.cols());
    block.normals(1, z);
    MetricLaw::draw(block.in(0), z, p);
  }
};

}  // namespace mixwell::riemannian
