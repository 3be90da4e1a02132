// Sampled values under every constraint have the right distributions.
// SPDX-License-Identifier: Apache-2.0
#include "constrained_laws.hpp"
#include "temporary_folder.hpp"

#include <mixwell/lab.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

using namespace mixwell;

namespace {

using testing::ConstrainedLaws;

RunResult sampled(const std::string& folder) {
  Registry registry = Registry::load(Registry::default_folders());
  registry.add<ConstrainedLaws>({.id = "constrained-laws", .summary = "every constraint"});
  Composer composer("constrained-laws");
  composer.add(Kind::model, "constrained-laws");
  composer.run().set("draws", 2000).set("seed", 5);
  return run(composer.compose(registry), {.folder = folder, .force = true});
}

/// q x n values, independent.
Eigen::MatrixXd exact_values(Index n) {
  const ConstrainedLaws model;
  Eigen::MatrixXd theta(model.dimension(), n);
  model.draw(Stream(11, "test/constraints"), {}, theta);
  Eigen::MatrixXd x(model.map().values(), n);
  model.map().constrain(theta, x);
  return x;
}

}  // namespace

// 2 statistics of each of the values: beyond 5.2 standard errors by chance with probability 2e-5.
TEST_CASE("values under every constraint have the means and spreads of exact draws") {
  const testing::TemporaryFolder folder;
  const RunResult result = sampled(folder.path() + "/run");
  const Eigen::MatrixXd exact = exact_values(50000);
  const auto n = static_cast<double>(exact.cols());
  const ConstrainedLaws model;
  REQUIRE(static_cast<Index>(result.summary.value().variables.size()) == exact.rows());
  int compared = 0;
  for (Index i = 0; i < exact.rows(); ++i) {
    if (model.map().is_fixed(i)) continue;
    const SummaryRow& row = result.summary.value().variables[static_cast<std::size_t>(i)];
    CAPTURE(row.name);
    const Eigen::ArrayXd x = exact.row(i);
    const Eigen::ArrayXd squares = (x - x.mean()).square();
    const double sd = std::sqrt(squares.mean());
    const double error = sd / std::sqrt(n);
    const double error_of_sd = std::sqrt((squares - sd * sd).square().mean() / n) / (2 * sd);
    CHECK(std::abs(row.standard.mean - x.mean()) < 5.2 * std::hypot(row.standard.mcse_mean, error));
    CHECK(std::abs(row.standard.sd - sd) < 5.2 * std::hypot(row.standard.mcse_sd, error_of_sd));
    ++compared;
  }
  CHECK(compared == 47);
}
