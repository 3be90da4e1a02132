// Checks a model's Gaussian prior against its U.
// SPDX-License-Identifier: Apache-2.0
#include "capabilities.hpp"
#include "measured.hpp"

#include <mixwell/law/capabilities.hpp>
#include <mixwell/law/selection.hpp>

#include <Eigen/LU>

#include <cmath>
#include <vector>

namespace mixwell::contracts {
namespace {

using Eigen::VectorXd;

/// U - (potential of the prior) - (potential of the likelihood) at one position, and the size of
/// these terms.
struct Rest {
  double value = 0.0;
  double scale = 1.0;
};

/// (x - m)' (L L')^-1 (x - m) / 2.
double prior_part(const GaussianPrior& prior, const VectorXd& theta, const VectorXd& x) {
  Workspace scratch;
  const Index b = x.size();
  const MatrixXd unit = MatrixXd::Identity(b, b);
  MatrixXd factor = MatrixXd::Constant(b, b, nan);
  MatrixXd mean = MatrixXd::Constant(b, 1, nan);
  prior.prior_factor(theta.replicate(1, b), unit, factor, scratch);
  prior.prior_mean(theta, mean);
  return 0.5 * factor.partialPivLu().solve(x - mean).squaredNorm();
}

Rest rest_at(const Model& model, const GaussianPrior& prior, const std::vector<Index>& own,
             const VectorXd& theta) {
  Workspace scratch;
  const double u = evaluated(model, theta, Asked::potential).u(0);
  RowVectorXd likelihood = RowVectorXd::Constant(1, nan);
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
    worst = worse(worst, std::abs(here.value - there.value) / std::max(here.scale, there.scale));
  }
  return {"gaussian prior", worst <= 1e-9,
          "U - (potential of the prior) - (potential of the likelihood) must not depend on the "
          "parameters with the Gaussian prior. The largest relative change of this difference is " +
              text(worst)};
}

}  // namespace mixwell::contracts
