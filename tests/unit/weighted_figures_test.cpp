// Weighted figures: exact arithmetic, equality with unweighted figures if weights are equal, and
// Monte Carlo errors against the scatter of many series.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/diagnostics.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using namespace mixwell::diagnostics;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

MatrixXd column(std::vector<double> x) {
  return MatrixXd::Map(x.data(), static_cast<Index>(x.size()), 1);
}

/// Stationary AR(1) chains.
MatrixXd make(Index draws, Index chains, double phi, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  MatrixXd x(draws, chains);
  for (Index c = 0; c < chains; ++c) {
    double value = normal(generator) / std::sqrt(1 - phi * phi);
    for (Index t = 0; t < draws; ++t) x(t, c) = value = phi * value + normal(generator);
  }
  return x;
}

MatrixXd falling(Index draws, Index chains, double exponent) {
  return ArrayXd::LinSpaced(draws, 1, static_cast<double>(draws))
      .pow(-exponent)
      .matrix()
      .replicate(1, chains);
}

void check_same(const StandardFigures& a, const StandardFigures& b) {
  const double left[] = {a.mean, a.sd, a.mcse_mean, a.mcse_sd, a.q5, a.q50, a.q95};
  const double right[] = {b.mean, b.sd, b.mcse_mean, b.mcse_sd, b.q5, b.q50, b.q95};
  for (int k = 0; k < 7; ++k) CHECK(left[k] == Approx(right[k]).epsilon(1e-12));
  CHECK(a.rhat == b.rhat);
  CHECK(a.ess_bulk == b.ess_bulk);
  CHECK(a.ess_tail == b.ess_tail);
}

}  // namespace

TEST_CASE("three weighted draws have the figures of their formulas", "[weighted]") {
  const MatrixXd x = column({4, 1, 2});
  const MatrixXd w = column({1, 1, 2});
  CHECK(weighted_mean(x, w) == 2.25);
  CHECK(weighted_sd(x, w) == Approx(std::sqrt(1.9)).epsilon(1e-15));
  CHECK(weighted_quantile(x, w, 0) == 1);
  CHECK(weighted_quantile(x, w, 0.25) == 1.5);
  CHECK(weighted_quantile(x, w, 0.5) == 2);
  CHECK(weighted_quantile(x, w, 0.75) == 3);
  CHECK(weighted_quantile(x, w, 1) == 4);
}

TEST_CASE("equal weights give the figures without weights", "[weighted]") {
  const MatrixXd x = make(101, 3, 0.5, 1);
  check_same(summarise(x, MatrixXd::Constant(101, 3, 0.3)), summarise(x));
}

TEST_CASE("the scale of the weights does not matter", "[weighted]") {
  const MatrixXd x = make(200, 2, 0.5, 2);
  const MatrixXd w = falling(200, 2, 0.7);
  check_same(summarise(x, 8 * w), summarise(x, w));
}

TEST_CASE("a draw without weight is as if it were not there", "[weighted]") {
  const MatrixXd x = column({100, 4, 1, -100, 2});
  const MatrixXd w = column({0, 1, 1, 0, 2});
  CHECK(weighted_mean(x, w) == 2.25);
  CHECK(weighted_sd(x, w) == Approx(std::sqrt(1.9)).epsilon(1e-14));
  CHECK(weighted_quantile(x, w, 0.75) == 3);
  CHECK(weighted_quantile(x, w, 1) == 4);
}

TEST_CASE("R-hat and effective sample sizes are those without weights", "[weighted]") {
  const MatrixXd x = make(200, 4, 0.9, 3);
  const StandardFigures plain = summarise(x);
  const StandardFigures weighted = summarise(x, falling(200, 4, 0.5));
  CHECK(weighted.rhat == plain.rhat);
  CHECK(weighted.ess_bulk == plain.ess_bulk);
  CHECK(weighted.ess_tail == plain.ess_tail);
  CHECK(weighted.mean != plain.mean);
}

TEST_CASE("weighted constants have a mean and no spread, and an offset costs nothing",
          "[weighted]") {
  const MatrixXd w = falling(50, 2, 0.6);
  const StandardFigures s = summarise(MatrixXd::Constant(50, 2, 0.1), w);
  CHECK(s.mean == 0.1);
  CHECK(s.sd == 0);
  CHECK(s.q5 == 0.1);
  CHECK(std::isnan(s.mcse_mean));
  const MatrixXd x = (make(50, 2, 0.5, 4) * 0x1p20).array().round() * 0x1p-20;
  const MatrixXd far = x.array() + 0x1p20;
  CHECK(weighted_sd(far, w) == Approx(weighted_sd(x, w)).epsilon(1e-12));
  CHECK(weighted_mcse_mean(far, w) == Approx(weighted_mcse_mean(x, w)).epsilon(1e-8));
}

TEST_CASE("what has no meaning is not available, and shapes must agree", "[weighted]") {
  const MatrixXd x = make(20, 2, 0, 5);
  for (const double bad : {-1.0, nan_value, infinity}) {
    MatrixXd w = falling(20, 2, 0.5);
    w(3, 1) = bad;
    const StandardFigures s = summarise(x, w);
    for (const double value : {s.mean, s.sd, s.mcse_mean, s.mcse_sd, s.q5, s.q50, s.q95})
      CHECK(std::isnan(value));
  }
  CHECK(std::isnan(weighted_mean(x, MatrixXd::Zero(20, 2))));
  MatrixXd infinite = x;
  infinite(0, 0) = infinity;
  CHECK(std::isnan(weighted_mean(infinite, falling(20, 2, 0.5))));
  CHECK_THROWS_AS(weighted_mean(x, falling(20, 1, 0.5)), std::invalid_argument);
  CHECK_THROWS_AS(weighted_quantile(x, falling(20, 2, 0.5), 1.5), std::invalid_argument);
}

TEST_CASE("the errors of weighted mean and sd are the scatter over many series", "[weighted]") {
  // The standard deviation of 1000 values is known to 2.2 %, the mean error better; 4 of them. The
  // error without weights is 1.4 times too small.
  constexpr Index series = 1000;
  const MatrixXd w = falling(1600, 1, 0.5);
  ArrayXd mean(series), sd(series), mean_error(series), sd_error(series), blind(series);
  for (Index k = 0; k < series; ++k) {
    const MatrixXd x = make(1600, 1, 0.5, static_cast<unsigned>(100 + k));
    mean[k] = weighted_mean(x, w);
    sd[k] = weighted_sd(x, w);
    mean_error[k] = weighted_mcse_mean(x, w);
    sd_error[k] = weighted_mcse_sd(x, w);
    blind[k] = mcse_mean(x);
  }
  const auto scatter = [](const ArrayXd& x) { return std::sqrt((x - x.mean()).square().mean()); };
  const auto rms = [](const ArrayXd& x) { return std::sqrt(x.square().mean()); };
  CAPTURE(rms(mean_error) / scatter(mean), rms(sd_error) / scatter(sd), rms(blind) / scatter(mean));
  CHECK(std::abs(rms(mean_error) / scatter(mean) - 1) < 0.09);
  CHECK(std::abs(rms(sd_error) / scatter(sd) - 1) < 0.09);
  CHECK(rms(blind) / scatter(mean) < 0.8);
}

TEST_CASE("weighted figures do not depend on units, those of the weights among them",
          "[weighted]") {
  const MatrixXd x = make(200, 3, 0.5, 71);
  const MatrixXd w = falling(200, 3, 0.33);
  const StandardFigures plain = summarise(x, w);
  for (const int exponent : {-990, -560, 560, 990}) {
    const double scale = std::ldexp(1.0, exponent);
    const StandardFigures scaled = summarise(scale * x, std::ldexp(1.0, -exponent) * w);
    CHECK(scaled.mean == scale * plain.mean);
    CHECK(scaled.sd == scale * plain.sd);
    CHECK(scaled.mcse_mean == scale * plain.mcse_mean);
    CHECK(scaled.mcse_sd == scale * plain.mcse_sd);
    CHECK(scaled.q50 == Approx(scale * plain.q50).epsilon(1e-12).margin(0));
  }
}
