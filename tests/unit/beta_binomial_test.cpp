// The model `beta-binomial`: Polya's urn, potential, gradient, limits, simulation, refusals.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/beta-binomial/counts.hpp"
#include "../../models/beta-binomial/urn.hpp"
#include "data_files.hpp"
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <Eigen/LU>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using mixwell::beta_binomial::Base;
using mixwell::beta_binomial::Count;
using support::contains;
using support::evaluate;
using support::make_model;
using support::refusal;

const std::string use = "use = \"beta-binomial\"\n";
const std::string columns = "y,n\n0,3\n2,40\n17,17\n9,2000\n0,1\n";
const std::vector<Count> counts = {{0, 3}, {2, 40}, {17, 17}, {9, 2000}, {0, 1}};

/// d log (a)_k / d log a, term by term.
struct Exact {
  Exact(long double a, double k) {
    for (long double i = 0; i < static_cast<long double>(k); ++i) weight += a / (a + i);
  }
  long double weight = 0;
};

/// -log m^y (1 - m)^(n - y) at logit m = x1.
double binomial_size(double x1, const Count& count) {
  const auto softplus = [](double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  };
  return count.y * softplus(-x1) + (count.n - count.y) * softplus(x1);
}

/// U and its gradient at (logit m, log K), by the densities of m and K and the Jacobian.
struct Direct {
  Direct(double x1, double x2) {
    const long double m = 1 / (1 + std::exp(-static_cast<long double>(x1)));
    const long double rest = 1 / (1 + std::exp(static_cast<long double>(x1)));
    const long double K = std::exp(static_cast<long double>(x2));
    const long double log_prior = -std::log(m * rest) - 2 * std::log1p(K);
    const long double log_jacobian = std::log(m * rest) + std::log(K);
    u = -log_prior - log_jacobian;
    g2 = 2 * K / (1 + K) - 1;
    for (const Count& count : counts) {
      const Exact a(K * m, count.y);
      const Exact b(K * rest, count.n - count.y);
      const Exact all(K, count.n);
      u -= log_order(K * m, K * rest, count);
      size += static_cast<long double>(count.n + binomial_size(x1, count));
      g1 += m * b.weight - rest * a.weight;
      g2 += all.weight - a.weight - b.weight;
    }
  }
  /// log of (a)_y (b)_(n - y) / (a + b)_n, draw by draw.
  static long double log_order(long double a, long double b, const Count& count) {
    long double log = 0;
    const auto y = static_cast<long double>(count.y);
    for (long double i = 0; i < static_cast<long double>(count.n); ++i)
      log += std::log(i < y ? (a + i) / (a + b + i) : (b + (i - y)) / (a + b + i));
    return log;
  }

  long double u = 0;
  long double size = 0;  ///< of numbers that are added up
  long double g1 = 0;
  long double g2 = 0;
};

double order_error(double log_a, double log_b, const Count& count, long double want) {
  const double a = std::exp(log_a);
  const double b = std::exp(log_b);
  const double s = 1 / std::max(1.0, a + b);
  const auto base = [](double c) { return Base{c, std::log(c)}; };
  const double got = mixwell::beta_binomial::log_order(
      {base(a * s), base(b * s), base((a + b) * s), s}, count.y, count.n);
  return static_cast<double>(std::abs(got - want));
}

class Fixture {
 public:
  std::string body(const std::string& text, const std::string& rest = "") const {
    return use + "data = \"" + folder_.file("data.csv", text) + "\"\n" + rest;
  }

 private:
  support::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("orders of draws from urns small and large have the right probabilities",
          "[beta-binomial]") {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  double worst = 0;
  for (double log_a = -32; log_a <= 32; log_a += 2) {
    for (double log_b = -32; log_b <= 32; log_b += 2) {
      for (const Count& count : {Count{0, 1}, Count{3, 7}, Count{12, 13}, Count{0, 900},
                                 Count{20, 1000}, Count{500, 1000}, Count{900, 900}}) {
        const auto a = static_cast<long double>(std::exp(log_a));
        const auto b = static_cast<long double>(std::exp(log_b));
        const long double want = Direct::log_order(a, b, count);
        worst = std::max(worst, order_error(log_a, log_b, count, want) /
                                    (eps * (10 + count.n + binomial_size(log_a - log_b, count))));
      }
    }
  }
  CHECK(worst < 4);
}

TEST_CASE("weights of rising factorials are right for small and large numbers", "[beta-binomial]") {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  double worst = 0;
  for (double power = -14; power <= 14; power += 0.25) {
    for (const double k : {0.0, 1.0, 2.0, 4.0, 5.0, 16.0, 17.0, 200.0, 5000.0}) {
      const double a = std::pow(10, power);
      const auto want = static_cast<double>(Exact(static_cast<long double>(a), k).weight);
      for (const double s : {1.0, 1e-3})
        worst =
            std::max(worst, std::abs(mixwell::beta_binomial::rising_weight(a * s, s, k) - want) /
                                (eps * (1 + k)));
    }
  }
  CHECK(worst < 4);
  CHECK(mixwell::beta_binomial::rising_weight(0.25, 0, 100) == 100);
}

TEST_CASE("a beta-binomial model satisfies the contract of a model", "[beta-binomial][slow]") {
  const std::string rest =
      GENERATE(std::string("cases = 20\n"), std::string("cases = 7\nsizes = [3, 500]\nm = 0.9\n"));
  const auto findings = mixwell::contracts::check_model(*make_model(use + rest));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("U of a beta-binomial model is that of its densities", "[beta-binomial]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(columns));
  double worst = 0;
  for (double x1 = -12; x1 <= 12; x1 += 1.5) {
    for (double x2 = -30; x2 <= 30; x2 += 0.75) {
      const auto got = evaluate(*model, VectorXd{{x1, x2}});
      const Direct want(x1, x2);
      const auto unit = static_cast<double>(10 + want.size);
      worst = std::max({worst, static_cast<double>(std::abs(got.u[0] - want.u)) / unit,
                        static_cast<double>(std::abs(got.g(0, 0) - want.g1)) / 2000,
                        static_cast<double>(std::abs(got.g(1, 0) - want.g2)) / 2000});
    }
  }
  CHECK(worst < 1e-15);
}

TEST_CASE("for large K the beta-binomial law is the binomial one", "[beta-binomial]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(columns));
  const double x1 = -1.25;
  double binomial = 0;
  for (const Count& count : counts) {
    binomial += count.y * std::log1p(std::exp(-x1));
    binomial += (count.n - count.y) * std::log1p(std::exp(x1));
  }
  // U less the prior's x2; the error of the limit is n^2 / K.
  for (const double x2 : {40.0, 500.0, 1000.0, 1e100})
    CHECK(evaluate(*model, VectorXd{{x1, x2}}).u[0] == Approx(x2 + binomial).epsilon(1e-11));
}

TEST_CASE("a beta-binomial potential is no NaN however far out", "[beta-binomial]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(columns));
  for (const double x1 : {-1e300, -1e4, 0.0, 1e4, 1e300}) {
    for (const double x2 : {-1e300, -1e4, 0.0, 1e4, 1e300}) {
      INFO(x1 << " " << x2);
      const auto at = evaluate(*model, VectorXd{{x1, x2}});
      CHECK_FALSE(std::isnan(at.u[0]));
      CHECK(at.u[0] > 0);
      CHECK(at.g.allFinite());
    }
  }
}

/// Moments of y: n m and n m (1 - m) (K + n) / (K + 1).
TEST_CASE("simulated counts have the law's mean and variance", "[beta-binomial]") {
  mixwell::beta_binomial::Simulation simulation;
  simulation.cases = 40000;
  simulation.sizes = {30};
  simulation.m = 0.2;
  simulation.K = 5;
  const auto simulated = mixwell::beta_binomial::simulated_counts(simulation);
  ArrayXd y(40000);
  for (Eigen::Index j = 0; j < y.size(); ++j) y[j] = simulated[static_cast<std::size_t>(j)].y;
  CHECK(std::abs(support::z_score(y, 6)) < 5);
  const double variance = 30 * 0.2 * 0.8 * 35 / 6;
  CHECK(std::abs(support::z_score((y - 6).square(), variance)) < 5);
  CHECK(std::abs(support::z_score((y - 6).square(), 30 * 0.2 * 0.8)) > 50);  // the binomial's
}

/// Albert 2009 has the mode of these data in these coordinates by R's simplex search: (-6.819793,
/// 7.576111). It stops where U changes by 1e-8 of itself, 6e-6: 4e-3 in x2, 1e-3 in x1.
TEST_CASE("the mode of the cancer mortality data is the published one", "[beta-binomial]") {
  const std::string path = data_files::found("cancermortality/cancermortality.csv");
  const auto model = make_model(use + "data = \"" + path + "\"\n");
  VectorXd x{{-6.8, 7.5}};
  for (int k = 0; k < 20; ++k) {  // Newton, Hessian by differences of the gradient
    constexpr double h = 1e-4;
    MatrixXd H(2, 2);
    for (int i = 0; i < 2; ++i) {
      const VectorXd e = h * VectorXd::Unit(2, i);
      H.col(i) = (evaluate(*model, x + e).g - evaluate(*model, x - e).g) / (2 * h);
    }
    x -= H.lu().solve(evaluate(*model, x).g);
  }
  CHECK(x[0] == Approx(-6.819793).margin(1e-3));
  CHECK(x[1] == Approx(7.576111).margin(4e-3));
}

TEST_CASE("pairs with a missing value are refused, or left out and counted", "[beta-binomial]") {
  const Fixture fixture;
  const std::string text = "y,n,note\n0,3,\nNA,40,\n2,,\n9,20,\n5,2,\n";
  CHECK(contains(refusal(fixture.body(text)),
                 "data.csv:3: row 2, column \"y\": \"NA\": a value is missing. Values are missing "
                 "in 2 of 5 rows. "
                 "Set missing = \"drop\" to leave these rows out"));
  const std::string drop = "missing = \"drop\"\n";
  CHECK(
      contains(refusal(fixture.body(text, drop)), "data.csv:6: column \"y\" is 5, which is above"));
  const auto model = make_model(fixture.body("y,n\n0,3\nNA,40\n9,20\n", drop));
  CHECK(model->observed_data().front().values == std::vector<double>{0, 9});
  REQUIRE(model->remarks().size() == 1);
  CHECK(contains(model->remarks().front(), "1 row of"));
  CHECK(contains(refusal(use + "cases = 3\n" + drop), "It needs data"));
}

TEST_CASE("bad counts are refused with their place and rule", "[beta-binomial]") {
  const Fixture fixture;
  const auto refused = [&](const std::string& text, const std::string& rest = "") {
    return refusal(fixture.body(text, rest));
  };
  CHECK(contains(refused("y,n\n1,2\n3,2\n"), "data.csv:3"));
  CHECK(contains(
      refused("y,n\n1,2\n3,2\n"),
      "which is above \"n\" = 2. If the columns are swapped, correct the keys `y` and `n`."));
  CHECK(contains(refused("y,n\n1,2\n-1,2\n"), "is -1, but must be a whole number from 0 to 2^53"));
  CHECK(contains(refused("y,n\n1,2\n0.5,2\n"), "is 0.5, but must be a whole number"));
  CHECK(contains(refused("y,n\n1,2\n0,0\n"),
                 "\"n\" is 0, but must be a whole number from 1 to 2^53"));
  CHECK(contains(refused("y,n\n1,2\nx,2\n"), "data.csv:3"));
  CHECK(contains(refused("y,n\n0,2\n0,7\n"), "every case has y = 0"));
  CHECK(contains(refused("y,n\n2,2\n7,7\n"), "every case has y = n"));
  CHECK(contains(refused("deaths,n\n1,2\n"), "no column \"y\""));
  CHECK(refused("deaths,risk\n1,2\n", "y = \"deaths\"\nn = \"risk\"\n") == "accepted");
  CHECK(contains(refused(columns, "cases = 3\n"), "must be left out if `data` is given"));
  CHECK(contains(refusal(use), "must be at least 1 if `data` is not given"));
  CHECK(contains(refusal(use + "cases = 3\nsizes = [2.5]\n"), "whole numbers"));
  CHECK(contains(refusal(use + "cases = 3\nsizes = []\n"), "sizes = []: must not be empty"));
}
