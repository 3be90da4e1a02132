// Metropolis for independent elements proposed from their prior: its exact distribution, and what
// is refused.
// SPDX-License-Identifier: Apache-2.0
#include "../../papers/hamcmc/plugins/stable-factorisation/stable_scale.hpp"
#include "../unit/support.hpp"
#include "composing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <algorithm>
#include <cmath>
#include <string>

using namespace mixwell;
using support::contains;

namespace {

/// Entries of one column, of moduli 0.5, 2 and 6 with alpha = 1. Given lambda, 1 / Phi is then
/// Gamma(3/2, 1/2 + |x|^2 / (2 lambda^2)).
std::string model(const support::TemporaryFolder& folder) {
  return "[model.m]\nuse = \"stable-factorisation\"\nalpha = [1]\nranks = [1]\ndata = \"" +
         folder.file("entries.csv", "row,column,real,imaginary\n0,0,0.3,0.4\n1,0,2,0\n2,0,0,-6\n") +
         "\"\n";
}

const std::string kernel = "[kernel.k]\nuse = \"prior-metropolis\"\n";
const std::string blocks =
    "[compositor.c]\nuse = \"blocks\"\nfixed = "
    "[\"row_factors\", \"column_factors\"]\n[[compositor.c.update]]\nkernel = \"k\"\nparameters = ";

struct Found {
  Eigen::Array3d z1, z2;  ///< of the means of 1 / Phi and of its square, an entry each
};

/// Means over 1000 replicates of averages over 200 sweeps, after 100.
Found z_scores(const std::string& body) {
  constexpr Index replicates = 1000;
  constexpr int sweeps = 200;
  const Composition c = composing::compose(body);
  RunSettings settings = c.run;
  settings.seed = 3;
  settings.replicates = replicates;
  Sampler sampler(c.compositor, settings, compose(*c.compositor));
  sampler.initialise();
  sampler.advance(PhaseKind::sampling, 100);
  const stable_factorisation::StableScale scale(1.0);
  Eigen::Array3Xd first = Eigen::Array3Xd::Zero(3, replicates);
  Eigen::Array3Xd second = first;
  Eigen::Array3Xd rate(3, replicates);
  const Eigen::Array3d squared(0.25, 4.0, 36.0);
  for (int k = 0; k < sweeps; ++k) {
    sampler.advance(PhaseKind::sampling, 1);
    const Eigen::MatrixXd theta = sampler.position("theta");
    for (Index r = 0; r < replicates; ++r)
      for (Index e = 0; e < 3; ++e) {
        const double lambda = std::abs(theta(e, r) * theta(3, r));
        rate(e, r) = 0.5 + 0.5 * squared(e) / (lambda * lambda);
        const double precision = std::exp(-scale.log_scale(theta(4 + e, r), theta(7 + e, r)));
        first(e, r) += precision * rate(e, r) / sweeps;
        second(e, r) += precision * precision * rate(e, r) * rate(e, r) / sweeps;
      }
  }
  const auto z = [&](const Eigen::Array3Xd& values, double wanted) {
    const Eigen::Array3d mean = values.rowwise().mean();
    const Eigen::Array3d error =
        ((values.colwise() - mean).square().rowwise().sum() / (replicates - 1.0) / replicates)
            .sqrt();
    return Eigen::Array3d((mean - wanted) / error);
  };
  return {z(first, 1.5), z(second, 3.75)};
}

}  // namespace

TEST_CASE("scales of alpha = 1 moved by prior proposals have their gamma law") {
  // Six z-scores beyond 4.5 by chance: 4e-5.
  const support::TemporaryFolder folder;
  const Found found = z_scores(model(folder) + kernel + blocks + "[\"angle\", \"energy\"]\n");
  INFO(found.z1.transpose() << " and " << found.z2.transpose());
  CHECK(found.z1.abs().maxCoeff() < 4.5);
  CHECK(found.z2.abs().maxCoeff() < 4.5);
}

TEST_CASE("elements that are always replaced, or by the decision of another, are caught") {
  const support::TemporaryFolder folder;
  const auto largest = [&](const std::string& mistake) {
    const Found found =
        z_scores(model(folder) + "[kernel.k]\nuse = \"wrong-elements\"\nmistake = \"" + mistake +
                 "\"\n" + blocks + "[\"angle\", \"energy\"]\n");
    return std::max(found.z1.abs().maxCoeff(), found.z2.abs().maxCoeff());
  };
  CHECK(largest("none") < 4.5);
  CHECK(largest("always") > 8.0);
  CHECK(largest("neighbour") > 8.0);
}

TEST_CASE("prior proposals are exact by declaration, and refused where there are no elements") {
  const support::TemporaryFolder folder;
  CHECK(composing::verdict(model(folder) + kernel + blocks + "[\"angle\", \"energy\"]\n").label() ==
        "exact");
  CHECK(contains(composing::refusal(model(folder) + kernel + blocks + "[\"angle\"]\n" +
                                    "[[compositor.c.update]]\nkernel = \"k\"\nparameters = "
                                    "[\"energy\"]\n"),
                 "has no independent elements that this kernel can propose from their prior"));
  CHECK(contains(composing::refusal("[model.m]\nuse = \"quartic\"\ndimension = 2\n[kernel.k]\nuse "
                                    "= \"prior-metropolis\"\n"),
                 "has no independent elements that this kernel can propose from their prior"));
}
