// Models with closed forms (gamma, funnel, banana, double well, quartic): contracts, values and
// exact draws.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <limits>

using support::contains;
using support::evaluate;
using support::make_model;
using support::z_score;

namespace {

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

TEST_CASE("funnels satisfy the contract of a model", "[funnel][slow]") {
  const std::string keys = GENERATE(std::string(""), "dimension = 2\nscale = 1", "scale = 0.3");
  const auto findings = mixwell::contracts::check_model(*make_model("use = \"funnel\"\n" + keys));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("the funnel is Neal's", "[funnel]") {
  const auto model = make_model("use = \"funnel\"\ndimension = 3");
  CHECK(mixwell::coordinate_names(model->parameters()) ==
        std::vector<std::string>{"v", "x[0]", "x[1]"});
  const double v = std::log(4.0);
  const support::Evaluated at = evaluate(*model, Eigen::Vector3d(v, 2, -6));
  CHECK(at.u[0] == Approx(v * v / 18 + v + 5).epsilon(1e-15));
  CHECK(at.g(0, 0) == Approx(v / 9 + 1 - 5).epsilon(1e-15));
  CHECK(at.g(1, 0) == Approx(0.5).epsilon(1e-15));
  CHECK(at.g(2, 0) == Approx(-1.5).epsilon(1e-15));
}

TEST_CASE("the funnel is evaluated deep in its neck and far out of its mouth", "[funnel]") {
  const auto model = make_model("use = \"funnel\"\ndimension = 2");
  const support::Evaluated neck = evaluate(*model, Eigen::Vector2d(-1000, std::exp(-500.0)));
  CHECK(neck.u[0] == Approx(1e6 / 18 - 500 + 0.5).epsilon(1e-12));
  CHECK(neck.g(1, 0) == Approx(std::exp(500.0)).epsilon(1e-12));
  CHECK(evaluate(*model, Eigen::Vector2d(-1000, 0)).g(1, 0) == 0);
  CHECK(evaluate(*model, Eigen::Vector2d(1000, 1e100)).u[0] == Approx(1e6 / 18 + 500));
  CHECK(evaluate(*model, Eigen::Vector2d(-1000, 1)).u[0] ==
        std::numeric_limits<double>::infinity());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(evaluate(*model, Eigen::Vector2d(nan, 1)).u[0]));
}

// Of a right sampler, one seed in 5000 fails here.
TEST_CASE("exact draws of the funnel are normal in v, and in x given v", "[funnel]") {
  const auto model = make_model("use = \"funnel\"");
  const Eigen::Index n = 100000;
  const Eigen::MatrixXd theta = support::exact_draws(*model, n);
  const Eigen::ArrayXd v = theta.row(0).transpose();
  CHECK(support::ks_statistic(v / 3, support::normal_below) < 2.7);
  CHECK(support::ks_statistic(v / 3.15, support::normal_below) > 2.7);
  for (const double side : {-1.0, 1.0}) {
    const auto beyond = static_cast<double>((side * v > 7.5).count());
    const double expected = static_cast<double>(n) * support::normal_below(-2.5);
    CHECK(std::abs(beyond - expected) < 4 * std::sqrt(expected));
  }
  for (const Eigen::Index i : {Eigen::Index{1}, Eigen::Index{9}}) {
    const Eigen::ArrayXd z = theta.row(i).transpose().array() * (-0.5 * v).exp();
    CHECK(support::ks_statistic(z, support::normal_below) < 2.7);
    CHECK(std::abs(support::z_score(z.square() * v, 0)) < 4);
  }
}

TEST_CASE("a funnel refuses a lone coordinate and a scale of zero", "[funnel]") {
  CHECK(contains(support::refusal("use = \"funnel\"\ndimension = 1"), "dimension"));
  CHECK(contains(support::refusal("use = \"funnel\"\nscale = 0"), "scale"));
}

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

namespace {

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
