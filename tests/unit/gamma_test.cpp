// The model `gamma`: its contract, values, support and exact draws.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <limits>

namespace {

using support::evaluate;
using support::make_model;

std::string gamma(const std::string& keys) { return "use = \"gamma\"\n" + keys; }

}  // namespace

TEST_CASE("gamma laws satisfy the contract of a model", "[gamma][slow]") {
  const std::string body =
      GENERATE(gamma("shape = 4"), gamma("shape = 6\nrate = 3\ndimension = 4"));
  const auto findings = mixwell::contracts::check_model(*make_model(body));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("the potential of gamma laws is that of the formula", "[gamma]") {
  const auto model = make_model(gamma("shape = 3\nrate = 2\ndimension = 2"));
  const auto at = evaluate(*model, Eigen::Vector2d(0.5, 4));
  CHECK(at.u[0] == Approx(9 - 2 * std::log(2.0)).epsilon(1e-14));
  CHECK(at.g(0, 0) == Approx(2 - 2 / 0.5).margin(1e-14));
  CHECK(at.g(1, 0) == Approx(2 - 2 / 4.0).epsilon(1e-14));
}

TEST_CASE("outside the support the potential is infinite, of that column alone", "[gamma]") {
  const auto model = make_model(gamma("shape = 1\ndimension = 2"));
  Eigen::MatrixXd theta{{1, -1, 0, 1, 1}, {1, 1, 1, -0.0, std::nan("")}};
  const auto at = evaluate(*model, theta);
  CHECK(at.u[0] == 2);
  for (const int j : {1, 2, 3}) CHECK(at.u[j] == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(at.u[4]));
}

TEST_CASE("exact draws of gamma laws have their distribution function", "[gamma]") {
  for (const double shape : {0.01, 0.5, 1.0, 3.0, 200.0}) {
    const auto model = make_model(gamma("rate = 2\nshape = " + std::to_string(shape)));
    const Eigen::ArrayXd x = support::exact_draws(*model, 40000).row(0).transpose();
    INFO(shape);
    CHECK(x.minCoeff() > 0);
    // What lies below the smallest number is drawn as that.
    const auto below = [&](double v) { return boost::math::gamma_p(shape, 2 * v); };
    const double floor = below(std::numeric_limits<double>::min());
    CHECK(support::ks_statistic(x, below) < 2.7 + floor * std::sqrt(40000.0));
    CHECK(std::abs(support::z_score(x, shape / 2)) < 5);
  }
}
