// Checks that the estimate of a model's density is unbiased.
// SPDX-License-Identifier: Apache-2.0
#include "capabilities.hpp"
#include "measured.hpp"

#include <mixwell/lab/metropolis_change.hpp>
#include <mixwell/law/capabilities.hpp>

#include <algorithm>
#include <string>

namespace mixwell::contracts {
namespace {

constexpr Index draws = 20000;
constexpr Index points = 4;
constexpr std::uint64_t seed = 20260103;

RowVectorXd estimates(const EstimatedDensity& of, const MatrixXd& theta, const MatrixXd& z) {
  RowVectorXd u(theta.cols());
  Workspace scratch;
  of.estimate(theta, z, u, scratch);
  return u;
}

MatrixXd normals(Index rows, std::uint64_t sweep) {
  MatrixXd z(rows, draws);
  Stream(seed, "contracts/estimate").normals({sweep, 0, 0}, z);
  return z;
}

/// exp(U - Uhat) at one point.
RowVectorXd weights(const Model& model, const MatrixXd& at, std::uint64_t sweep) {
  const EstimatedDensity& of = *model.offers<EstimatedDensity>();
  const MatrixXd theta = at.replicate(1, draws);
  const double u = evaluated(model, at, Asked::potential).u(0);
  return (u - estimates(of, theta, normals(of.normals(), sweep)).array()).exp();
}

Finding unbiased(const Model& model, const MatrixXd& theta) {
  ZeroMeans means;
  const RowVectorXd first = weights(model, theta.col(0), 0);
  for (Index j = 1; j < theta.cols(); ++j) {
    means.add("column " + std::to_string(j) + " against column 0",
              weights(model, theta.col(j), static_cast<std::uint64_t>(j)) - first);
  }
  Finding found = means.finding("the estimate of the density is unbiased");
  found.trait = "unbiased_density";
  return found;
}

/// Checks that a Metropolis step with the target exp(-Uhat) N(z; 0, I) leaves the means of the
/// weighted draws unchanged.
Finding weighted(const EstimatedDensity& of, const MatrixXd& theta) {
  constexpr std::uint64_t pilots = 8;
  constexpr std::uint64_t rounds = 300;
  MetropolisChange change(of.normals(), theta.cols());
  const Stream stream(seed, "contracts/weighted");
  Workspace scratch;
  MatrixXd z(of.normals(), theta.cols());
  MatrixXd y(of.normals(), theta.cols());
  const auto energy = [&](const MatrixXd& at) -> RowVectorXd {
    return estimates(of, theta, at) + 0.5 * at.colwise().squaredNorm();
  };
  for (std::uint64_t round = 0; round < pilots + rounds; ++round) {
    of.draw_weighted(theta, stream, {round, 0, 0}, z, scratch);
    if (round < pilots) {
      change.see(z);
      continue;
    }
    change.propose(z, round, y);
    change.add(z, energy(z), y, energy(y));
  }
  ZeroMeans means;
  means.add_all("", change);
  return means.finding("draw_weighted() samples exp(-Uhat) N(z; 0, I)");
}

}  // namespace

void check_estimated_density(const Model& model, const MatrixXd& theta, Findings& findings) {
  const EstimatedDensity& of = *model.offers<EstimatedDensity>();
  const MatrixXd few = theta.leftCols(std::min(points, theta.cols()));
  if (evaluated(model, few, Asked::potential).u.allFinite()) {
    findings.push_back(unbiased(model, few));
  } else {
    findings.push_back({"the estimate of the density is unbiased", true,
                        "this clause was not checked, because the model does not evaluate U"});
  }
  if (of.draws_weighted()) {
    findings.push_back(weighted(of, theta.replicate(1, std::max<Index>(1, 256 / theta.cols()))));
  }
}

}  // namespace mixwell::contracts
