// What a model says of a Gaussian prior, against its U.
// SPDX-License-Identifier: Apache-2.0
#include "gaussian_prior.hpp"

#include <mixwell/gaussian_prior.hpp>
#include <mixwell/selection.hpp>

#include <Eigen/LU>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace mixwell::contracts {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

/// What is left of U at one position, and the size of what it is left of.
struct Rest {
  double value = 0.0;
  double scale = 1.0;
};

/// (x - m)' (L L')^-1 (x - m) / 2.
double prior_part(const GaussianPrior& prior, const VectorXd& theta, const VectorXd& x) {
  Workspace scratch;
  const Index b = x.size();
  const MatrixXd unit = MatrixXd::Identity(b, b);
  MatrixXd factor = MatrixXd::Constant(b, b, NAN);
  MatrixXd mean = MatrixXd::Constant(b, 1, NAN);
  prior.prior_factor(theta.replicate(1, b), unit, factor, scratch);
  prior.prior_mean(theta, mean);
  return 0.5 * factor.partialPivLu().solve(x - mean).squaredNorm();
}

Rest rest_at(const Model& model, const GaussianPrior& prior, const std::vector<Index>& own,
             const VectorXd& theta) {
  Workspace scratch;
  double u = NAN;
  RowVectorXd likelihood = RowVectorXd::Constant(1, NAN);
  model.evaluate(theta, Evaluation::of_potential(&u, theta, scratch));
  prior.likelihood_potential(theta, likelihood, scratch);
  const double quadratic = prior_part(prior, theta, theta(own));
  return {u - quadratic - likelihood(0), 1.0 + std::abs(u) + quadratic + std::abs(likelihood(0))};
}

}  // namespace

Finding check_gaussian_prior(const Model& model, const MatrixXd& theta) {
  const GaussianPrior& prior = *model.offers<GaussianPrior>();
  const std::vector<Index> own =
      select_coordinates(model.parameters(), prior.gaussian_parameters());
  double worst = 0.0;
  for (Index j = 0; j < theta.cols(); ++j) {
    VectorXd other = theta.col(j);
    other(own) = theta.col((j + 1) % theta.cols())(own);
    const Rest here = rest_at(model, prior, own, theta.col(j));
    const Rest there = rest_at(model, prior, own, other);
    const double change = std::abs(here.value - there.value) / std::max(here.scale, there.scale);
    if (!(change <= worst)) worst = change;
    if (std::isnan(worst)) break;
  }
  std::ostringstream detail;
  detail << "U less the prior's part and the likelihood changes with the parameters by " << worst
         << " of their sizes";
  return {"gaussian prior", worst <= 1e-9, detail.str()};
}

}  // namespace mixwell::contracts
