// Effective sample sizes as papers define them: closed forms, the definitions term by term, theory.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/ess.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace mixwell::diagnostics;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Stationary AR(1) chains of unit variance.
MatrixXd ar1(Index draws, Index chains, double phi, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  MatrixXd x(draws, chains);
  for (Index c = 0; c < chains; ++c) {
    double value = normal(random);
    for (Index i = 0; i < draws; ++i) {
      x(i, c) = value;
      value = phi * value + std::sqrt(1 - phi * phi) * normal(random);
    }
  }
  return x;
}

/// n/2 zeros, then n/2 ones: rho_k = 1 - 3 k / n while k <= n / 2.
VectorXd step(Index n) {
  VectorXd x = VectorXd::Zero(n);
  x.tail(n / 2).setOnes();
  return x;
}

/// -1, 1, -1, ...: rho_k = (-1)^k (1 - k / n).
VectorXd alternating(Index n) {
  return VectorXd::NullaryExpr(n, [](Index i) { return i % 2 == 0 ? -1.0 : 1.0; });
}

/// The definition, term by term.
double autocorrelation(const VectorXd& x, Index k) {
  const VectorXd y = x.array() - x.mean();
  return y.head(y.size() - k).dot(y.tail(y.size() - k)) / y.squaredNorm();
}

bool agree(double a, double b) { return std::abs(a - b) <= 1e-10 * std::abs(b); }

}  // namespace

TEST_CASE("Every paper's estimator is its sum of autocorrelations, term by term") {
  for (const double phi : {-0.6, 0.0, 0.5, 0.97}) {
    const VectorXd x = ar1(1200, 1, phi, 5).array() + 1e5;
    const VectorXd rho =
        VectorXd::NullaryExpr(x.size(), [&](Index k) { return autocorrelation(x, k); });
    const double n = 1200;
    INFO("phi = " << phi);
    CHECK(agree(ess_qnhmc(x, 20), n / (1 + 2 * rho.segment(1, 20).sum())));

    double monotone = -1;
    double gamma = infinity;
    for (Index j = 0; 2 * j + 1 < x.size(); ++j) {
      gamma = std::min(gamma, rho[2 * j] + rho[2 * j + 1]);
      if (gamma <= 0) break;
      monotone += 2 * gamma;
    }
    CHECK(agree(ess_girolami_calderhead(x), n / std::max(monotone, 1.0)));

    double time = 1;
    for (Index s = 1; rho[s] >= 0.05; ++s) time += rho[s];
    CHECK(agree(autocorrelation_time_sghmc(x), time));
  }
}

TEST_CASE("A chain that moves once has the closed forms of its autocorrelations") {
  const double n = 20000;
  const VectorXd x = step(20000);
  const auto sum_of_rho = [&](double lags) { return lags - 3 * lags * (lags + 1) / 2 / n; };
  CHECK(agree(ess_qnhmc(x), n / (1 + 2 * sum_of_rho(500))));
  // rho_s >= 0.05 for s <= 6333.3.
  CHECK(agree(autocorrelation_time_sghmc(x), 1 + sum_of_rho(6333)));
  // Gamma_j = 2 - 3 (4 j + 1) / n > 0 for j < 3334; together rho_0 ... rho_6667.
  CHECK(agree(ess_girolami_calderhead(x), n / (1 + 2 * sum_of_rho(6667))));
}

TEST_CASE("The sum of 500 lags never falls below its floor, however slow the chain") {
  for (const Index n : {2000, 50000}) {
    const double floor = static_cast<double>(n) / 1001;
    CHECK(ess_qnhmc(step(n)) > floor);
    CHECK(ess_qnhmc(ar1(n, 1, 0.99999, 3)) > floor);
  }
  CHECK(ess_qnhmc(step(500000)) < 1.002 * 500000 / 1001);
}

TEST_CASE(
    "Antithetic draws count more with 500 lags, once each with Geyer's cut, and have time 1") {
  const Index n = 1000;
  // The sum of (-1)^k (1 - k / 1000) over k = 1 ... 500 is -1/4.
  CHECK(agree(ess_qnhmc(alternating(n)), 2 * n));
  CHECK(ess_girolami_calderhead(alternating(n)) == n);
  CHECK(autocorrelation_time_sghmc(alternating(n)) == 1);
}

// Bounds of the next two: distance of the mean plus five standard deviations, over 100 seeds; wide
// for 500 lags because that estimate is.
TEST_CASE("Independent draws count once each") {
  const MatrixXd x = ar1(100000, 1, 0, 11);
  CHECK(std::abs(ess_qnhmc(x) / 1e5 - 1) < 0.053 + 5 * 0.161);
  CHECK(std::abs(ess_girolami_calderhead(x) / 1e5 - 1) < 0.005 + 5 * 0.0076);
  CHECK(autocorrelation_time_sghmc(x) == 1);  // rho_1 >= 0.05 would be 16 standard deviations
}

TEST_CASE("AR(1) chains have the sizes and the time of theory") {
  const struct {
    double phi, qnhmc, geyer, time;
  } cases[] = {{0.5, 0.041 + 5 * 0.095, 0.002 + 5 * 0.0095, 5 * 0.0032},
               {0.9, 0.040 + 5 * 0.094, 0.002 + 5 * 0.0204, 5 * 0.0134}};
  for (const auto& [phi, qnhmc, geyer, bound] : cases) {
    const double n = 400000;
    const MatrixXd x = ar1(100000, 4, phi, 12);
    const double size = n * (1 - phi) / (1 + phi);
    // 1 + phi + ... + phi^S, S the last lag with phi^S >= 0.05.
    const double lags = std::floor(std::log(0.05) / std::log(phi));
    const double time = (1 - std::pow(phi, lags + 1)) / (1 - phi);
    INFO("phi = " << phi);
    CHECK(std::abs(ess_qnhmc(x) / size - 1) < qnhmc);
    CHECK(std::abs(ess_girolami_calderhead(x) / size - 1) < geyer);
    CHECK(std::abs(autocorrelation_time_sghmc(x) / time - 1) < bound);
  }
}

TEST_CASE("Sizes of chains add, and times are such that draws over time add") {
  MatrixXd x(3000, 2);
  x << ar1(3000, 1, 0.5, 1), ar1(3000, 1, 0.9, 2);
  const MatrixXd a = x.col(0);
  const MatrixXd b = x.col(1);
  CHECK(agree(ess_qnhmc(x, 100), ess_qnhmc(a, 100) + ess_qnhmc(b, 100)));
  CHECK(agree(ess_girolami_calderhead(x), ess_girolami_calderhead(a) + ess_girolami_calderhead(b)));
  CHECK(agree(6000 / autocorrelation_time_sghmc(x),
              3000 / autocorrelation_time_sghmc(a) + 3000 / autocorrelation_time_sghmc(b)));
}

TEST_CASE("The papers' estimators do not see chains that disagree, the standard one does") {
  MatrixXd x = ar1(2000, 2, 0, 7);
  const double together = ess_girolami_calderhead(x);
  x.col(1).array() += 5;
  CHECK(agree(ess_girolami_calderhead(x), together));
  CHECK(ess_bulk(x) < 10);
}

TEST_CASE("Constants, infinities, NaN and no draws are not available to any estimator") {
  MatrixXd stuck = ar1(2000, 3, 0, 8);
  stuck.col(1).setConstant(0.1);
  MatrixXd infinite = ar1(2000, 1, 0, 8);
  infinite(7, 0) = infinity;
  MatrixXd nan = ar1(2000, 1, 0, 8);
  nan(7, 0) = std::nan("");
  for (const PaperEstimator& paper : paper_estimators()) {
    INFO(paper.id);
    for (const MatrixXd& x :
         {MatrixXd(MatrixXd::Constant(2000, 2, 0.1)), stuck, infinite, nan, MatrixXd(0, 2)})
      CHECK(std::isnan(paper.of(x)));
  }
}

TEST_CASE("Chains no longer than the lags have no sum of lags, as it would be -1/2 for any chain") {
  CHECK(std::isnan(ess_qnhmc(ar1(501, 1, 0.5, 9))));
  CHECK_FALSE(std::isnan(ess_qnhmc(step(502))));
  CHECK(std::isnan(ess_qnhmc(ar1(3, 1, 0.5, 9), 2)));
}

TEST_CASE("A denominator that is not positive is not available") {
  // rho_1 = -(1 - 1/n): 1 + 2 rho_1 < 0.
  CHECK(std::isnan(ess_qnhmc(alternating(100), 1)));
}

TEST_CASE("The shortest chains have a size by Geyer's cut and a time") {
  const VectorXd two = (VectorXd(2) << 0, 1).finished();
  CHECK(ess_girolami_calderhead(two) == 2);  // rho = 1, -1/2: time 0, at least 1
  CHECK(autocorrelation_time_sghmc(two) == 1);
  CHECK(std::isnan(ess_girolami_calderhead(VectorXd::Constant(1, 3.0))));
}

TEST_CASE("Papers' estimators are found by name, with a suggestion for a slip") {
  CHECK(find_paper_estimator("sghmc", "--ess sghmc").of(alternating(10)) == 1);
  try {
    find_paper_estimator("qnhcm", "--ess qnhcm");
    FAIL("accepted");
  } catch (const mixwell::InputError& error) {
    CHECK(std::string(error.what()) ==
          "--ess qnhcm: no estimator \"qnhcm\" (did you mean \"qnhmc\"?)");
  }
}

TEST_CASE("An effective sample size is to be trusted from 100 on, and 20 for each chain") {
  CHECK(least_reliable_ess(1) == 100);
  CHECK(least_reliable_ess(4) == 100);
  CHECK(least_reliable_ess(5) == 100);
  CHECK(least_reliable_ess(64) == 1280);
}

TEST_CASE("the papers' sizes do not depend on units") {
  const MatrixXd x = ar1(1200, 2, 0.5, 73);
  for (const int exponent : {-990, 990}) {
    const MatrixXd y = std::ldexp(1.0, exponent) * x;
    CHECK(ess_qnhmc(y) == ess_qnhmc(x));
    CHECK(ess_girolami_calderhead(y) == ess_girolami_calderhead(x));
    CHECK(autocorrelation_time_sghmc(y) == autocorrelation_time_sghmc(x));
  }
}
