// The law of a Crank-Nicolson step from a point, where nothing but the step's parameters moves the
// prior: of a position that is its own whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prior_part.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <string>

namespace mixwell::gaussian_prior {

/// The numbers of a StepLaw: x (d of them), then eps.
struct StepNumbers : edge::Numbers<Role::parameter> {
  using Numbers::Numbers;
};

/// N(m + rho (x - m), b^2 L L') with b = eps / sqrt(1 + eps^2), rho = 1 / sqrt(1 + eps^2). With the
/// prior N(m, L L') it is in detailed balance, q(y | x) / q(x | y) = prior(y) / prior(x), so that
/// Metropolis with it has only the likelihoods in its ratio, up to rounding.
class StepLaw final : public Potential {
 public:
  /// Throws InputError where L has no inverse: the step then has no density.
  StepLaw(const GaussianPrior& prior, Index dimension, const std::string& kernel)
      : mean_(dimension), factor_(dimension, dimension) {
    Workspace scratch;
    const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(dimension, dimension);
    prior.prior_mean(unit.leftCols(1), mean_);
    prior.prior_factor(unit, unit, factor_, scratch);
    inverse_ = factor_.partialPivLu().inverse();
    if (mean_.allFinite() && inverse_.allFinite()) return;
    throw InputError(
        "kernel `" + kernel +
        "`: the Gaussian prior of the model has no density, as its factor has no "
        "inverse, and an estimate of the posterior's cannot be taken apart; use kernel "
        "random-walk-metropolis");
  }

  static Index rows(Index dimension) noexcept { return dimension + 1; }

  /// y = m + rho (x - m) + b L z, z ~ N(0, I). O(d^2) a column.
  void draw(const Numbers& numbers, const edge::Noise& noise, Batch y, Workspace&) const {
    const MatrixMap z = noise.normals(y.rows(), y.cols());
    for (Index j = 0; j < y.cols(); ++j) {
      y.col(j).noalias() = factor_ * z.col(j);
      const From from(numbers, j);
      for (Index i = 0; i < y.rows(); ++i) y(i, j) = centre(from, i) + from.b * y(i, j);
    }
  }

  /// u = |L^-1 (y - m - rho (x - m))|^2 / (2 b^2), up to a function of eps. O(d^2) a column.
  void evaluate(const Numbers& numbers, ConstBatch y, const Evaluation& out) const override {
    const Workspace::Frame frame(out.scratch);
    Batch gradient = out.gradient;
    MatrixMap off = out.scratch.matrix(y.rows(), 1);
    MatrixMap white = out.scratch.matrix(y.rows(), 1);
    for (Index j = 0; j < y.cols(); ++j) {
      const From from(numbers, j);
      for (Index i = 0; i < y.rows(); ++i) off(i, 0) = (y(i, j) - centre(from, i)) / from.b;
      white.col(0).noalias() = inverse_ * off.col(0);
      if (out.wants_potential()) out.u()(j) = 0.5 * white.squaredNorm();
      if (!out.wants_gradient()) continue;
      off.col(0).noalias() = inverse_.transpose() * white.col(0);
      for (Index i = 0; i < y.rows(); ++i) gradient(i, j) = off(i, 0) / from.b;
    }
  }
  bool evaluates_potential_alone() const noexcept override { return true; }
  double gradient_cost() const noexcept override { return 0.0; }

 private:
  struct From {
    From(const Numbers& numbers, Index j)
        : x(numbers.column(j)),
          rho(1.0 / std::hypot(1.0, x[numbers.rows() - 1])),
          b(x[numbers.rows() - 1] * rho) {}
    const double* x;
    double rho;
    double b;
  };

  double centre(const From& from, Index i) const {
    return mean_(i) + from.rho * (from.x[i] - mean_(i));
  }

  Eigen::VectorXd mean_;
  Eigen::MatrixXd factor_;
  Eigen::MatrixXd inverse_;
};

struct WriteStepLaw {
  void operator()(edge::PointPosition x, edge::StepSize eps, edge::Out<StepNumbers> numbers) const {
    numbers.topRows(x.rows()) = x;
    numbers.bottomRows<1>() = eps;
  }
};

}  // namespace mixwell::gaussian_prior
