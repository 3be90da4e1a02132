// What oracles report about the noise in their gradients, against the noise itself.
// SPDX-License-Identifier: Apache-2.0
#include "oracle_contract.hpp"

#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

using namespace mixwell;
using oracle_contract::OracleLaw;

namespace {

constexpr Index seed_count = 20000;
constexpr Index batch_size = 7;

struct Case {
  const char* name;
  std::string model;
  Index terms;
};

std::vector<Case> cases(const support::TemporaryFolder& folder) {
  return {{"linear-gaussian",
           "[model.m]\nuse = \"linear-gaussian\"\ncases = 30\ndimension = 3\n"
           "noise_variance = 2\ncorrelation = 0.5\n",
           30},
          {"logistic-regression", oracle_contract::logistic(folder), 60},
          {"probit-regression",
           "[model.m]\nuse = \"probit-regression\"\ncases = 25\ndimension = 2\n", 25}};
}

std::string minibatch(bool replacement) {
  return "[oracle.o]\nuse = \"minibatch\"\nsize = " + std::to_string(batch_size) +
         "\nreplacement = " + (replacement ? "true\n" : "false\n");
}

/// Both are d^2 x seeds: (g - grad U)(g - grad U)', whose mean is V, and the estimates of V.
struct Noise {
  Eigen::MatrixXd products;
  Eigen::MatrixXd estimates;
};

Noise noise_of(const OracleLaw& law) {
  const Index d = law.dimension();
  const Eigen::MatrixXd theta = law.points(seed_count);
  Workspace scratch;
  Noise noise{Eigen::MatrixXd(d * d, seed_count), Eigen::MatrixXd(d * d, seed_count)};
  const Eigen::MatrixXd seeds = law.seeds(seed_count);
  const Numbers numbers{ConstBatch(seeds)};
  Eigen::MatrixXd g(d, seed_count);
  law->evaluate(numbers, theta, {nullptr, g, scratch, 3});
  g.colwise() -= law.whole_gradient();
  for (Index j = 0; j < seed_count; ++j) {
    const Eigen::MatrixXd product = g.col(j) * g.col(j).transpose();
    noise.products.col(j) = product.reshaped();
  }
  law->as_noise()->covariance(numbers, theta, 3, noise.estimates, scratch);
  return noise;
}

/// Largest |z| of E products = factor E estimates over all entries.
double largest_z(const Noise& noise, double factor) {
  const Eigen::ArrayXXd difference = (noise.products - factor * noise.estimates).array();
  const Eigen::ArrayXd mean = difference.rowwise().mean();
  const Eigen::ArrayXd variance = (difference.colwise() - mean).square().rowwise().sum() /
                                  static_cast<double>(seed_count * (seed_count - 1));
  return (mean / variance.sqrt()).abs().maxCoeff();
}

}  // namespace

TEST_CASE("a minibatch tells the covariance of its gradient, in the mean over batches") {
  const support::TemporaryFolder folder;
  for (const Case& c : cases(folder)) {
    for (const bool replacement : {false, true}) {
      const Noise noise = noise_of(OracleLaw(c.model + minibatch(replacement)));
      const double right = largest_z(noise, 1.0);
      INFO(c.name << (replacement ? " with" : " without") << " replacement: |z| <= " << right);
      CHECK(right <= 5.0);
      // Mutants: squares divided by n, and the factor of the finite population forgotten.
      CHECK(largest_z(noise, (batch_size - 1.0) / batch_size) > 8.0);
      const double finite = 1.0 - static_cast<double>(batch_size) / static_cast<double>(c.terms);
      CHECK(largest_z(noise, replacement ? finite : 1.0 / finite) > 8.0);
    }
  }
}

TEST_CASE("the diagonal of a covariance is its diagonal, and none is negative") {
  const support::TemporaryFolder folder;
  for (const Case& c : cases(folder)) {
    for (const std::string& oracle : {minibatch(false), minibatch(true),
                                      std::string("[oracle.o]\nuse = \"noisy\"\nvariance = 3\n")}) {
      const OracleLaw law(c.model + oracle);
      const Index d = law.dimension();
      const Eigen::MatrixXd seeds = law.seeds(6);
      const Numbers numbers{ConstBatch(seeds)};
      Eigen::MatrixXd whole(d * d, 6);
      Eigen::MatrixXd diagonal(d, 6);
      Workspace scratch;
      law->as_noise()->covariance(numbers, law.points(6), 1, whole, scratch);
      law->as_noise()->covariance_diagonal(numbers, law.points(6), 1, diagonal, scratch);
      for (Index j = 0; j < 6; ++j) {
        const Eigen::MatrixXd V = whole.col(j).reshaped(d, d);
        CHECK((V - V.transpose()).norm() == 0.0);
        CHECK((V.diagonal() - diagonal.col(j)).norm() <= 1e-12 * diagonal.col(j).norm());
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(V);
        CHECK(spectrum.eigenvalues().minCoeff() >= -1e-12 * V.norm());
      }
    }
  }
}

TEST_CASE("the noisy oracle knows its noise") {
  const support::TemporaryFolder folder;
  const OracleLaw law(oracle_contract::logistic(folder) +
                      "[oracle.o]\nuse = \"noisy\"\nvariance = 3\n");
  const Noise noise = noise_of(law);
  const Index d = law.dimension();
  CHECK((noise.estimates.col(0).reshaped(d, d) - 3.0 * Eigen::MatrixXd::Identity(d, d)).norm() ==
        0.0);
  CHECK(largest_z(noise, 1.0) <= 5.0);
  CHECK(largest_z(noise, std::sqrt(1.0 / 3.0)) > 8.0);
}

TEST_CASE("the noisy oracle leaves U as it is, and its gradient is right in the mean") {
  const support::TemporaryFolder folder;
  const OracleLaw law(oracle_contract::logistic(folder) +
                      "[oracle.o]\nuse = \"noisy\"\nvariance = 3\n");
  constexpr Index count = 20000;
  const Eigen::MatrixXd seeds = law.seeds(count);
  Eigen::RowVectorXd u(count);
  Eigen::MatrixXd g(law.dimension(), count);
  Workspace scratch;
  law->evaluate(Numbers{ConstBatch(seeds)}, law.points(count), {u.data(), g, scratch});
  CHECK((u.array() == law.whole_potential()).all());
  for (Index i = 0; i < law.dimension(); ++i) {
    CHECK(std::abs(support::z_score(g.row(i).transpose(), law.whole_gradient()(i))) <= 5.0);
  }
}

TEST_CASE("equal draws tell the same noise, others another") {
  const support::TemporaryFolder folder;
  const OracleLaw law(oracle_contract::logistic(folder) + minibatch(false));
  const auto told = [&](std::uint32_t draw) {
    const Eigen::MatrixXd seeds = law.seeds(1);
    Eigen::MatrixXd out(law.dimension(), 1);
    Workspace scratch;
    law->as_noise()->covariance_diagonal(Numbers{ConstBatch(seeds)}, law.points(1), draw, out,
                                         scratch);
    return Eigen::VectorXd(out.col(0));
  };
  CHECK((told(2) - told(2)).norm() == 0.0);
  CHECK((told(2) - told(3)).norm() > 0.0);
}

TEST_CASE("a batch of all cases without replacement has no noise, of one case nothing is known") {
  const support::TemporaryFolder folder;
  const std::string oracle = "[oracle.o]\nuse = \"minibatch\"\nsize = ";
  const OracleLaw all(oracle_contract::logistic(folder) + oracle + "60\n");
  const Eigen::MatrixXd seeds = all.seeds(1);
  Eigen::MatrixXd out(all.dimension(), 1);
  Workspace scratch;
  all->as_noise()->covariance_diagonal(Numbers{ConstBatch(seeds)}, all.points(1), 0, out, scratch);
  CHECK(out.norm() == 0.0);
  CHECK(OracleLaw(oracle_contract::logistic(folder) + oracle + "1\n")->as_noise() == nullptr);
}
