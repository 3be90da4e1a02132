// The model `quartic`: its contract and its known moments.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <cmath>

using support::z_score;

TEST_CASE("the quartic satisfies the contract of a model", "[quartic][slow]") {
  const auto model = support::make_model("use = \"quartic\"\ndimension = 3");
  const mixwell::contracts::Findings findings = mixwell::contracts::check_model(*model);
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("the quartic is a quarter of the sum of fourth powers", "[quartic]") {
  const auto model = support::make_model("use = \"quartic\"\ndimension = 2");
  const support::Evaluated at = support::evaluate(*model, Eigen::MatrixXd{{1, 0}, {-2, 3}});
  CHECK(at.u == Eigen::RowVector2d(4.25, 20.25));
  CHECK(at.g == Eigen::Matrix2d{{1, 0}, {-8, 27}});
}

// Of a right sampler, one seed in 4000 gives a |z| above 4 here.
TEST_CASE("exact draws of the quartic have its moments", "[quartic]") {
  const auto model = support::make_model("use = \"quartic\"");
  const Eigen::ArrayXd x = support::exact_draws(*model, 300000).row(0).transpose().array();
  const double second = 2 * std::tgamma(0.75) / std::tgamma(0.25);
  CHECK(second == Approx(0.67598).epsilon(1e-5));
  CHECK(std::abs(z_score(x, 0)) < 4);
  CHECK(std::abs(z_score(x.square(), second)) < 4);
  CHECK(std::abs(z_score(x.cube(), 0)) < 4);
  CHECK(std::abs(z_score(x.square().square(), 1)) < 4);
  CHECK(std::abs(z_score(1.02 * x.square(), second)) > 4);
}

TEST_CASE("two inversions of one law agree draw by draw", "[quartic]") {
  const auto quartic = support::make_model("use = \"quartic\"\ndimension = 5");
  const auto well = support::make_model("use = \"double-well\"\ndimension = 5\na = 0\nb = 0.25");
  const Eigen::MatrixXd x = support::exact_draws(*quartic, 20000);
  const Eigen::MatrixXd y = support::exact_draws(*well, 20000);
  CHECK((x - y).cwiseAbs().cwiseQuotient(x.cwiseAbs()).maxCoeff() < 1e-11);
}
