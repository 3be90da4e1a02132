// The contract of every Recipe, which defines a diffusion by D, Q and Gamma.
// SPDX-License-Identifier: Apache-2.0
#include "bowl.hpp"
#include "measured.hpp"
#include "preconditioner_clauses.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/contracts/recipe.hpp>

#include <algorithm>

namespace mixwell::contracts {
namespace {

constexpr Index dimension = 4;

/// A recipe at one z.
class RecipeAt {
 public:
  RecipeAt(const Recipe& recipe, const Eigen::VectorXd& z)
      : recipe_(recipe), z_(z), numbers_(numbers_of(recipe, z)) {}

  /// Column j of the result is computed at column j of z. A recipe must overwrite all previous
  /// values.
  static Eigen::MatrixXd numbers_of(const Recipe& recipe, const Eigen::MatrixXd& z) {
    Eigen::MatrixXd numbers = Eigen::MatrixXd::Constant(recipe.rows(dimension), z.cols(), 3.0);
    Workspace scratch;
    if (numbers.rows() > 0) recipe.coefficients(Bowl(), z, numbers, scratch);
    return numbers;
  }

  Eigen::MatrixXd D() const { return matrix(&Recipe::D); }
  Eigen::MatrixXd Q() const { return matrix(&Recipe::Q); }
  Eigen::MatrixXd root() const { return matrix(&Recipe::root); }
  Eigen::VectorXd gamma() const {
    Eigen::MatrixXd out = Eigen::MatrixXd::Constant(z_.size(), 1, 7.0);
    Workspace scratch;
    recipe_.gamma(Bowl(), z_, numbers_, out, scratch);
    return out;
  }

 private:
  using Product = void (Recipe::*)(ConstBatch, ConstBatch, Batch, Workspace&) const;

  Eigen::MatrixXd matrix(Product product) const {
    const Index n = z_.size();
    const Eigen::MatrixXd numbers = numbers_.replicate(1, n);
    const Eigen::MatrixXd units = Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd out = Eigen::MatrixXd::Constant(n, n, 7.0);
    Workspace scratch;
    (recipe_.*product)(numbers, units, out, scratch);
    return out;
  }

  const Recipe& recipe_;
  Eigen::VectorXd z_;
  Eigen::MatrixXd numbers_;
};

/// Points around the means of the auxiliaries, and around 0 for theta.
Eigen::MatrixXd positions(const Recipe& recipe) {
  const Recipe::Auxiliaries r = recipe.auxiliaries(dimension);
  Eigen::MatrixXd z(dimension + r.mean.size(), 3);
  Stream(6, "contracts/recipe").normals({}, z);
  z.bottomRows(r.mean.size()) =
      (r.sd.asDiagonal() * z.bottomRows(r.mean.size())).colwise() + r.mean;
  return z;
}

/// sum_j d(D_ij + Q_ij) / dz_j by central differences.
Eigen::VectorXd divergence(const Recipe& recipe, const Eigen::VectorXd& z) {
  constexpr double h = 1e-5;
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(z.size());
  for (Index j = 0; j < z.size(); ++j) {
    const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(z.size(), j);
    const RecipeAt up(recipe, z + step);
    const RecipeAt down(recipe, z - step);
    sum += ((up.D() + up.Q()) - (down.D() + down.Q())).col(j) / (2.0 * h);
  }
  return sum;
}

/// |found - wanted| relative to `size`, or to 1 if `size` is smaller.
double error_of(const Eigen::MatrixXd& found, const Eigen::MatrixXd& wanted, double size) {
  return (found - wanted).norm() / std::max(1.0, size);
}

Finding alone(const Recipe& recipe, const Eigen::MatrixXd& z) {
  const Eigen::MatrixXd together = RecipeAt::numbers_of(recipe, z);
  double worst = 0.0;
  for (Index j = 0; j < z.cols(); ++j) {
    const auto own = together.col(j);
    worst = worse(worst, error_of(RecipeAt::numbers_of(recipe, z.col(j)), own, own.norm()));
  }
  return relative_error("D and Q at one column of z do not depend on other columns", worst, 1e-12);
}

/// Checks the bound near 0. Checks a global bound far out too.
void check_bound(const Recipe& recipe, const Eigen::VectorXd& z, Findings& findings) {
  const Bound bound = recipe.coefficients_traits().bound;
  if (bound == Bound::unknown || recipe.rows(dimension) == 0) return;
  const auto size_at = [&](const Eigen::VectorXd& there) {
    const RecipeAt at(recipe, there);
    return (at.D() + at.Q()).cwiseAbs().maxCoeff();
  };
  findings.push_back(stays_bounded("near 0", [&](double t) { return size_at(t * z); }));
  if (bound != Bound::global) return;
  findings.push_back(stays_bounded("far out", [&](double t) { return size_at(z / t); }));
}

}  // namespace

Findings check_recipe(const Recipe& recipe) {
  const Eigen::MatrixXd z = positions(recipe);
  double symmetric = 0.0;
  double skew = 0.0;
  double root = 0.0;
  double gamma = 0.0;
  const bool claims = recipe.has_gamma() && recipe.gamma_traits().total;
  for (Index j = 0; j < z.cols(); ++j) {
    const RecipeAt at(recipe, z.col(j));
    const Eigen::MatrixXd D = at.D();
    const Eigen::MatrixXd Q = at.Q();
    const Eigen::MatrixXd N = at.root();
    const double size = (D + Q).norm();
    symmetric = worse(symmetric, error_of(D.transpose(), D, size));
    skew = worse(skew, error_of(-Q.transpose(), Q, size));
    root = worse(root, error_of(N * N.transpose(), D, size));
    if (!claims) continue;
    const Eigen::VectorXd wanted = divergence(recipe, z.col(j));
    gamma = worse(gamma, error_of(at.gamma(), wanted, wanted.norm()));
  }
  Findings findings = {alone(recipe, z), relative_error("D = D'", symmetric, 1e-10),
                       relative_error("Q = -Q'", skew, 1e-10),
                       relative_error("N N' = D", root, 1e-10)};
  if (claims) findings.push_back(relative_error("Gamma is the divergence of D + Q", gamma, 1e-6));
  check_bound(recipe, z.col(0), findings);
  return findings;
}

}  // namespace mixwell::contracts
