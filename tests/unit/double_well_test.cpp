// The model `double-well`: its contract, its moments and its inversion at extreme shapes.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <cmath>

namespace {

using support::z_score;

// E x^power under exp(-(a x^2 + b x^4)), by the trapezoidal rule, which converges exponentially
// here.
double moment(double a, double b, int power) {
  long double top = 0;
  long double bottom = 0;
  for (int k = -40000; k <= 40000; ++k) {
    const long double x = 1e-4L * k * std::sqrt(std::max(1.0, -a / b));
    const long double weight = std::exp(-(a * x * x + b * x * x * x * x));
    top += weight * std::pow(x, static_cast<long double>(power));
    bottom += weight;
  }
  return static_cast<double>(top / bottom);
}

std::string well(double a, double b) {
  return "use = \"double-well\"\na = " + std::to_string(a) + "\nb = " + std::to_string(b) + "\n";
}

}  // namespace

TEST_CASE("double wells of all shapes satisfy the contract of a model", "[double-well][slow]") {
  const std::string body =
      GENERATE(std::string("use = \"double-well\"\ndimension = 3"), well(-10, 0.5), well(3, 0.1));
  const mixwell::contracts::Findings findings =
      mixwell::contracts::check_model(*support::make_model(body));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("the double well is the sum of its two powers", "[double-well]") {
  const auto model = support::make_model("use = \"double-well\"\ndimension = 2");
  const support::Evaluated at = support::evaluate(*model, Eigen::MatrixXd{{1, 0}, {-2, 3}});
  CHECK(at.u == Eigen::RowVector2d(-1 + 8, 63));
  CHECK(at.g == Eigen::Matrix2d{{0, 0}, {-24, 96}});
}

TEST_CASE("the double well is infinite, not undefined, far away", "[double-well]") {
  const auto model = support::make_model("use = \"double-well\"");
  CHECK(support::evaluate(*model, Eigen::MatrixXd{{1e200}}).u[0] ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("the second moment of the default double well is 0.8327", "[double-well]") {
  CHECK(moment(-2, 1, 2) == Approx(0.8327).epsilon(6e-5));
}

// Of a right sampler, one seed in 800 gives a |z| above 4 here.
TEST_CASE("exact draws of double wells have their moments", "[double-well]") {
  const auto [a, b] = GENERATE(std::pair(-2.0, 1.0), std::pair(-6.0, 1.0), std::pair(0.0, 2.0),
                               std::pair(5.0, 0.1), std::pair(-40.0, 1.0));
  CAPTURE(a, b);
  const auto model = support::make_model(well(a, b));
  const Eigen::ArrayXd x = support::exact_draws(*model, 200000).row(0).transpose().array();
  CHECK(std::abs(z_score(x, 0)) < 4);
  CHECK(std::abs(z_score(x.square(), moment(a, b, 2))) < 4);
  CHECK(std::abs(z_score(x.cube(), 0)) < 4);
  CHECK(std::abs(z_score(x.square().square(), moment(a, b, 4))) < 4);
  CHECK(std::abs(z_score(1.02 * x.square(), moment(a, b, 2))) > 4);
}

TEST_CASE("very deep wells are drawn on both sides within their width", "[double-well]") {
  const auto model = support::make_model(well(-1e6, 1));
  const Eigen::ArrayXd x = support::exact_draws(*model, 20000).row(0).transpose().array();
  const double width = 1 / std::sqrt(4e6);  // U'' = 4 |a| at the bottom
  const Eigen::ArrayXd z = (x.abs() - std::sqrt(5e5)) / width;
  CHECK(std::abs(z.mean()) < 0.03);
  CHECK(std::abs(z.square().mean() - 1) < 0.04);
  CHECK(std::abs(static_cast<double>((x > 0).count()) - 10000) < 4 * std::sqrt(5000.0));
}
