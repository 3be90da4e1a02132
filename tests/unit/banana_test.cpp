// The model `banana`: its contract, its values and its exact draws.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <cmath>
#include <limits>

using support::contains;
using support::evaluate;
using support::make_model;
using support::z_score;

TEST_CASE("bananas of all shapes satisfy the contract of a model", "[banana][slow]") {
  const std::string keys = GENERATE(
      std::string(""), "dimension = 6\nscale = 0.5\ncurvature = -2\nvariance = 4", "curvature = 0");
  const auto findings = mixwell::contracts::check_model(*make_model("use = \"banana\"\n" + keys));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("the banana is the sum of its two normals", "[banana]") {
  const auto model = make_model("use = \"banana\"");
  const support::Evaluated at = evaluate(*model, Eigen::MatrixXd{{1, 0, 2}, {2, -1, 3}});
  CHECK(at.u == Eigen::RowVector3d(0.5 + 8, 0, 2));
  CHECK(at.g == Eigen::MatrixXd{{1 - 16, 0, 2}, {8, 0, 0}});
}

TEST_CASE("pairs of a banana are independent", "[banana]") {
  const std::string keys = "use = \"banana\"\nscale = 2\ncurvature = 0.3\nvariance = 0.5\n";
  const Eigen::Vector4d theta(0.3, -1, 2.5, 0.7);
  const auto pair = make_model(keys);
  const support::Evaluated both = evaluate(*make_model(keys + "dimension = 4"), theta);
  const support::Evaluated first = evaluate(*pair, theta.head(2));
  const support::Evaluated second = evaluate(*pair, theta.tail(2));
  CHECK(both.u[0] == Approx(first.u[0] + second.u[0]).epsilon(1e-15));
  CHECK(both.g.topRows(2).isApprox(first.g, 1e-15));
  CHECK(both.g.bottomRows(2).isApprox(second.g, 1e-15));
}

TEST_CASE("a banana without curvature is a gaussian", "[banana]") {
  const auto straight = make_model("use = \"banana\"\nscale = 3\ncurvature = 0\nvariance = 0.5");
  const auto gaussian =
      make_model("use = \"gaussian\"\ncovariance = \"diagonal\"\nvariances = [9, 0.5]");
  const Eigen::MatrixXd theta = support::exact_draws(*gaussian, 100);
  CHECK(evaluate(*straight, theta).u.isApprox(evaluate(*gaussian, theta).u, 1e-14));
  CHECK(evaluate(*straight, theta).g.isApprox(evaluate(*gaussian, theta).g, 1e-14));
}

TEST_CASE("the banana is infinite, not undefined, far away", "[banana]") {
  const auto model = make_model("use = \"banana\"");
  CHECK(evaluate(*model, Eigen::Vector2d(1e120, 0)).u[0] ==
        std::numeric_limits<double>::infinity());
  CHECK(std::isnan(
      evaluate(*model, Eigen::Vector2d(0, std::numeric_limits<double>::quiet_NaN())).u[0]));
}

// Of a right sampler, one seed in 2000 fails here.
TEST_CASE("exact draws of the banana have its moments and its conditional law", "[banana]") {
  const auto model = make_model("use = \"banana\"\nscale = 1.5\ncurvature = -0.7\nvariance = 0.49");
  const Eigen::MatrixXd theta = support::exact_draws(*model, 200000);
  const Eigen::ArrayXd x = theta.row(0).transpose();
  const Eigen::ArrayXd y = theta.row(1).transpose();
  const double fourth = std::pow(1.5, 4);
  CHECK(std::abs(z_score(y, 0)) < 4);
  CHECK(std::abs(z_score(y.square(), 0.49 + 2 * 0.49 * fourth)) < 4);
  CHECK(std::abs(z_score(x * y, 0)) < 4);
  CHECK(std::abs(z_score(x.square() * y, -1.4 * fourth)) < 4);
  CHECK(std::abs(z_score(1.08 * x.square() * y, -1.4 * fourth)) > 4);
  CHECK(support::ks_statistic(x / 1.5, support::normal_below) < 2.7);
  CHECK(support::ks_statistic((y + 0.7 * (x.square() - 2.25)) / 0.7, support::normal_below) < 2.7);
  CHECK(support::ks_statistic(x / 1.54, support::normal_below) > 2.7);
}

TEST_CASE("a banana refuses an odd dimension and a variance of zero", "[banana]") {
  CHECK(contains(support::refusal("use = \"banana\"\ndimension = 3"), "must be even"));
  CHECK(contains(support::refusal("use = \"banana\"\nvariance = 0"), "variance"));
  CHECK(contains(support::refusal("use = \"banana\"\nscale = -1"), "scale"));
}
