// Parameters with a Gaussian prior: the likelihood without the prior, and Crank-Nicolson steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../model-part/model_part.hpp"

#include <mixwell/plugin.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace mixwell::gaussian_prior {

/// The part of U from the likelihood, at whole positions. Evaluations of this part are counted like
/// evaluations of U.
class LikelihoodPotential final : public Potential {
 public:
  /// `law` keeps the model alive.
  LikelihoodPotential(std::shared_ptr<const Function> law, const GaussianPrior& prior)
      : law_(std::move(law)), prior_(prior) {}
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    RowMap u = out.u();
    prior_.likelihood_potential(theta, u, out.scratch);
  }
  bool evaluates_potential_alone() const noexcept override { return true; }

 private:
  std::shared_ptr<const Function> law_;
  const GaussianPrior& prior_;
};

/// The likelihood. It is an input in addition to the law that the update leaves invariant.
struct Likelihood : edge::LawAs<Role::parameter> {};

class PriorPart {
 public:
  /// Throws InputError if the model has no Gaussian prior of exactly the site's parameters. The
  /// message names `kernel`.
  PriorPart(Transition& t, const std::string& kernel) : part_(t) {
    const Model* const model = part_.model();
    prior_ = model == nullptr ? nullptr : model->offers<GaussianPrior>();
    if (prior_ == nullptr) {
      throw InputError("kernel `" + kernel + "`: the target density of `" + part_.slot() +
                       "` has no Gaussian prior that is separate from a likelihood. Use kernel "
                       "`slice`, or a kernel that uses gradients.");
    }
    if (model->offers<EstimatedDensity>() != nullptr && !t.takes_estimate_of(t.target())) {
      throw InputError("kernel `" + kernel + "`: `" + model->name() +
                       "` offers only an unbiased estimate of its density, and this kernel cannot "
                       "use the estimate to move `" +
                       part_.slot() +
                       "`. Use kernel `random-walk-metropolis`, `metropolis-gaussian` or `pcn` on "
                       "the whole position.");
    }
    if (select_coordinates(model->parameters(), prior_->gaussian_parameters()) ==
        part_.coordinates()) {
      return;
    }
    throw InputError("kernel `" + kernel + "`: model `" + model->name() +
                     "` offers a Gaussian prior (given the other parameters) only for [" +
                     model_part::joined(prior_->gaussian_parameters()) +
                     "], but this kernel moves [" + part_.held() +
                     "]. In compositor `blocks`, use this kernel in an update that moves all "
                     "parameters with the Gaussian prior, and no others.");
  }

  const model_part::ModelPart& part() const noexcept { return part_; }
  const GaussianPrior& prior() const noexcept { return *prior_; }

  Edge<Likelihood> likelihood(Transition& t) const {
    return {t.graph().constant(t.path("likelihood"),
                               std::make_shared<LikelihoodPotential>(part_.law(), prior()))};
  }

  /// m and L z (b x w each), given the rest of each position (d x w).
  void mean(ConstBatch position, Batch out) const { prior().prior_mean(position, out); }
  void deviation(ConstBatch position, const edge::Noise& noise, Batch out,
                 Workspace& scratch) const {
    const Workspace::Frame frame(scratch);
    const MatrixMap z = noise.normals(out.rows(), out.cols());
    prior().prior_factor(position, z, out, scratch);
  }

 private:
  model_part::ModelPart part_;
  const GaussianPrior* prior_ = nullptr;
};

/// The numbers of a StepLaw: x (d of them), then eps.
struct StepNumbers : edge::Numbers<Role::parameter> {};

/// N(m + rho (x - m), b^2 L L') with b = eps / sqrt(1 + eps^2), rho = 1 / sqrt(1 + eps^2). This law
/// is in detailed balance with the prior N(m, L L'): q(y | x) / q(x | y) = prior(y) / prior(x). The
/// Metropolis ratio then contains only the likelihoods, up to rounding.
class StepLaw final : public Potential {
 public:
  /// Throws InputError if L has no inverse, because the step then has no density.
  StepLaw(const GaussianPrior& prior, Index dimension, const std::string& kernel)
      : mean_(dimension), factor_(dimension, dimension) {
    Workspace scratch;
    const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(dimension, dimension);
    prior.prior_mean(unit.leftCols(1), mean_);
    prior.prior_factor(unit, unit, factor_, scratch);
    inverse_ = factor_.partialPivLu().inverse();
    if (mean_.allFinite() && inverse_.allFinite()) return;
    throw InputError("kernel `" + kernel +
                     "`: the Gaussian prior N(m, L L') of the model has no density, because L has "
                     "no inverse. The model offers only an estimate of the posterior density, and "
                     "without the density of the prior the kernel cannot compute the likelihood "
                     "from this estimate. Use kernel `random-walk-metropolis`.");
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
