// Diagnostics: numbers from R's posterior 1.4, identities that they obey, and unavailable values.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/lab/diagnostics.hpp>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace mixwell::diagnostics;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

struct Series {
  Index draws, chains;
  double phi;
  std::uint64_t seed;
};

// AR(1) driven by uniforms on (-1/2, 1/2) of the minimal standard generator; each chain starts at
// 0.
MatrixXd make(const Series& series) {
  MatrixXd x(series.draws, series.chains);
  std::uint64_t state = series.seed;
  for (Index c = 0; c < x.cols(); ++c) {
    double value = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      state = state * 16807 % 2147483647;
      value = series.phi * value + static_cast<double>(state) / 2147483647 - 0.5;
      x(i, c) = value;
    }
  }
  return x;
}

// All results in the order of the expected numbers.
std::vector<double> all_of(const MatrixXd& x) {
  const StandardFigures s = summarise(x);
  return {s.mean, s.sd,   s.mcse_mean, s.mcse_sd,  s.q5,        s.q50,
          s.q95,  s.rhat, s.ess_bulk,  s.ess_tail, ess_mean(x), mcse_quantile(x, 0.1)};
}

bool agrees(double actual, double expected) {
  if (std::isnan(expected)) return std::isnan(actual);
  return actual == expected || std::abs(actual - expected) <= 1e-10 * std::abs(expected);
}

void check_agreement(const MatrixXd& x, const std::vector<double>& expected) {
  const std::vector<double> actual = all_of(x);
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i, actual[i], expected[i]);
    CHECK(agrees(actual[i], expected[i]));
  }
}

MatrixXd constant(Index draws, Index chains) { return MatrixXd::Constant(draws, chains, 2.5); }

}  // namespace

// Each list: mean, sd, mcse_mean, mcse_sd, q5, q50, q95, rhat, ess_bulk, ess_tail, ess_mean,
// mcse_quantile(0.1), computed with posterior 1.4.0 under R 4.2.2.
TEST_CASE("four well mixed chains agree with posterior", "[diagnostics]") {
  check_agreement(make({250, 4, 0.5, 1}),
                  {-0.00433461093504869, 0.328029370210986, 0.0177703813676817, 0.00708727889312535,
                   -0.563795839484094, -0.00842333673776818, 0.525218746787994, 1.00726071472288,
                   336.567303334222, 588.983112968681, 340.746939503247, 0.0294064392971551});
}

TEST_CASE("one chain of odd length agrees with posterior", "[diagnostics]") {
  check_agreement(make({101, 1, 0.75, 2}),
                  {-0.0292614993886317, 0.441200598055297, 0.212531574521781, 0.0433667398610036,
                   -0.662472927520069, -0.0332344644778787, 0.646970038732678, 1.20211488655361,
                   4.34594928161098, 24.4993466840884, 4.30948393019718, 0.186889083047059});
}

TEST_CASE("antithetic chains agree with posterior, cap included", "[diagnostics]") {
  check_agreement(make({64, 2, -0.75, 3}),
                  {-0.0108545808942673, 0.466370829271116, 0.0283970016833318, 0.0336019427181703,
                   -0.739779303498402, -0.0198588824217838, 0.678837033497576, 1.01988173509992,
                   269.722876114927, 70.7898410076399, 269.722876114927, 0.113861414641884});
}

TEST_CASE("a series without a second pair of lags agrees with posterior", "[diagnostics]") {
  MatrixXd x = make({60, 2, -1, 8});
  for (Index i = 0; i < x.rows(); ++i) x.row(i).array() += i % 2 == 0 ? -3 : 3;
  check_agreement(x, {-0.035658291697343, 3.29287240532254, 0.425107999566672, 0.390289837399634,
                      -4.29066473876157, 0.114454330114859, 4.2209869128284, 1.45110824084592,
                      249.501749525715, 42.2694021230955, 60, 0.389463102626364});
}

TEST_CASE("a chain elsewhere agrees with posterior and shows", "[diagnostics]") {
  MatrixXd x = make({40, 3, 0.5, 4});
  x.col(1).array() += 1;
  check_agreement(x, {0.285270261852988, 0.600626869249517, 0.259521889098709, 0.0860946845540174,
                      -0.547017326076973, 0.175724016156187, 1.34699806615293, 1.63974101737832,
                      6.08554111031398, 33.2213770621357, 5.35625846404294, 0.0949593264964495});
}

TEST_CASE("a chain of another spread agrees with posterior and shows", "[diagnostics]") {
  MatrixXd x = make({100, 4, 0.5, 9});
  x.col(2) *= 4;
  check_agreement(x, {0.080830673203721, 0.739026927694251, 0.0682273193797844, 0.224898591879667,
                      -0.8132513467673, 0.0107866234116338, 1.56815659906944, 1.27067474885064,
                      153.74634630404, 39.6327127781995, 117.328605547636, 0.0920913799226548});
}

TEST_CASE("ties agree with posterior, which has no tail where the top value is common",
          "[diagnostics]") {
  const MatrixXd x = (8 * make({50, 2, 0, 5})).array().floor();
  check_agreement(x, {-0.61, 2.12201067219967, 0.218829823715251, 0.104774214057868, -4, -1, 3,
                      1.01655952850712, 93.8360838726975, nan_value, 94.0333928970293, 0.5});
}

TEST_CASE("the shortest chains agree with posterior", "[diagnostics]") {
  check_agreement(make({7, 2, 0.5, 6}),
                  {-0.213852976571804, 0.278493735707252, 0.113694591507381, 0.0583201523526883,
                   -0.571348346736823, -0.239483586904149, 0.239160732526625, 1.01964961297728, 6,
                   nan_value, 6, 0.142869845264749});
}

TEST_CASE("an infinite draw leaves what ranks alone decide, as in posterior", "[diagnostics]") {
  MatrixXd x = make({100, 2, 0.5, 7});
  x(2, 0) = infinity;
  check_agreement(
      x, {infinity, nan_value, nan_value, nan_value, -0.465293513619247, 0.0302997661735595,
          0.603910384128055, 1.00741737419231, 80.7852787012526, nan_value, nan_value, nan_value});
}

TEST_CASE("a NaN draw makes everything not available", "[diagnostics]") {
  MatrixXd x = make({100, 2, 0.5, 7});
  x(2, 0) = nan_value;
  for (const double value : all_of(x)) CHECK(std::isnan(value));
}

TEST_CASE("constant draws have a mean and quantiles but no diagnostics", "[diagnostics]") {
  check_agreement(constant(50, 3), {2.5, 0, nan_value, nan_value, 2.5, 2.5, 2.5, nan_value,
                                    nan_value, nan_value, nan_value, nan_value});
}

TEST_CASE("chains too short for a diagnostic give not available", "[diagnostics]") {
  for (Index draws = 0; draws < 4; ++draws) {
    for (const Index chains : {1, 2, 5}) {
      const MatrixXd x = make({draws, chains, 0.5, 3});
      CHECK(std::isnan(rhat(x)));
      CHECK(std::isnan(ess_bulk(x)));
      CHECK(std::isnan(ess_tail(x)));
      CHECK(std::isnan(mcse_sd(x)));
    }
  }
  CHECK(std::isfinite(rhat(make({4, 2, 0.5, 3}))));
  CHECK(std::isnan(ess_mean(make({5, 2, 0.5, 3}))));
  CHECK(std::isfinite(ess_mean(make({6, 2, 0.5, 3}))));
}

TEST_CASE("chains stuck at different values have an infinite R-hat", "[diagnostics]") {
  MatrixXd x(20, 3);
  x.rowwise() = Eigen::RowVector3d(0, 1, 5);
  CHECK(rhat(x) == infinity);
  CHECK(summarise(x).rhat == infinity);
  // All are equally far from the median, so only the first R-hat is informative.
  MatrixXd two(20, 2);
  two.rowwise() = Eigen::RowVector2d(-0.1, 0.7);
  CHECK(rhat(two) == infinity);
  // A jump in the middle of each chain.
  MatrixXd jump = MatrixXd::Constant(20, 2, 0.3);
  jump.bottomRows(10).array() = 0.7;
  CHECK(rhat(jump) == infinity);
  // One chain that moves is enough for a number.
  x.col(1) = make({20, 1, 0.5, 3});
  CHECK(std::isfinite(rhat(x)));
}

TEST_CASE("draws that differ by rounding only are constant", "[diagnostics]") {
  MatrixXd x = MatrixXd::Constant(50, 4, 1.0);
  for (Index i = 0; i < x.size(); i += 3) x.data()[i] = std::nextafter(1.0, 2.0);
  CHECK(std::isnan(rhat(x)));
  CHECK(std::isfinite(rhat(x.array() - 1.0)));  // near 0 the same differences are no rounding
}

TEST_CASE("figures do not depend on units", "[diagnostics]") {
  const std::vector<MatrixXd> families = {make({101, 3, 0.5, 51}), make({200, 4, -0.5, 53}),
                                          make({64, 2, 0.9, 57}).array().cube(),
                                          make({100, 4, 0.5, 59}).array() + 100};
  const double scale =
      GENERATE(1e-300, 1e-170, 1e-150, 1.6e-19, 1e-16, 1e-12, 1e12, 1e60, 1e150, 1e170, 1e300);
  const auto nearly = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
  for (const MatrixXd& x : families) {
    const StandardFigures plain = summarise(x);
    const StandardFigures scaled = summarise(scale * x);
    CAPTURE(scale, plain.rhat, scaled.rhat);
    CHECK(nearly(scaled.mean, scale * plain.mean));
    CHECK(nearly(scaled.sd, scale * plain.sd));
    CHECK(nearly(scaled.mcse_mean, scale * plain.mcse_mean));
    CHECK(nearly(scaled.mcse_sd, scale * plain.mcse_sd));
    CHECK(nearly(scaled.q5, scale * plain.q5));
    CHECK(nearly(scaled.q95, scale * plain.q95));
    CHECK(nearly(scaled.ess_bulk, plain.ess_bulk));
    CHECK(nearly(scaled.ess_tail, plain.ess_tail));
    CHECK(nearly(ess_mean(scale * x), ess_mean(x)));
    CHECK(nearly(mcse_quantile(scale * x, 0.1), scale * mcse_quantile(x, 0.1)));
    // The two draws on both sides of a median are equally far from it except for rounding, which
    // decides whether their distances share a rank.
    CHECK(std::abs(scaled.rhat / plain.rhat - 1) < 1e-3);
  }
}

TEST_CASE("figures in units of a power of two keep their bits", "[diagnostics]") {
  const MatrixXd x = GENERATE(make({101, 3, 0.5, 61}), make({200, 4, -0.5, 53}),
                              MatrixXd((8 * make({50, 2, 0, 5})).array().floor()));
  const StandardFigures plain = summarise(x);
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (const int exponent : {-990, -565, -300, -62, 300, 565, 990}) {
    const StandardFigures scaled = summarise(std::ldexp(1.0, exponent) * x);
    CHECK(scaled.mean == std::ldexp(plain.mean, exponent));
    CHECK(scaled.sd == std::ldexp(plain.sd, exponent));
    CHECK(scaled.mcse_mean == std::ldexp(plain.mcse_mean, exponent));
    CHECK(scaled.mcse_sd == std::ldexp(plain.mcse_sd, exponent));
    CHECK(scaled.rhat == plain.rhat);
    CHECK(scaled.ess_bulk == plain.ess_bulk);
    CHECK(same(scaled.ess_tail, plain.ess_tail));
  }
}

TEST_CASE("effective sample sizes of AR(1) chains match theory", "[diagnostics]") {
  // Relative standard deviation of the estimate, measured over 200 seeds. The error of the mean has
  // half of it. One seed in 16000 exceeds four of them.
  const struct {
    double phi, scatter;
  } cases[] = {{-0.5, 0.024}, {0.0, 0.012}, {0.5, 0.021}, {0.9, 0.037}};
  for (const auto& [phi, scatter] : cases) {
    const MatrixXd x = make({25000, 4, phi, 12345});
    const double expected = 100000 * (1 - phi) / (1 + phi);
    CAPTURE(phi, expected);
    CHECK(std::abs(ess_mean(x) / expected - 1) < 4 * scatter);
    CHECK(std::abs(mcse_mean(x) / (sd(x) / std::sqrt(expected)) - 1) < 2 * scatter);
  }
}

TEST_CASE("rank-based diagnostics do not see a monotone transformation", "[diagnostics]") {
  const MatrixXd x = make({200, 4, 0.5, 17});
  const MatrixXd y = x.array().cube() * 8;
  CHECK(ess_bulk(y) == ess_bulk(x));
  CHECK(ess_mean(y) != ess_mean(x));
}

TEST_CASE("shifting and scaling by powers of two scale the errors and nothing else",
          "[diagnostics]") {
  const MatrixXd x = make({128, 3, 0.5, 19});
  const StandardFigures plain = summarise(x);
  const StandardFigures scaled = summarise(4 * x);
  CHECK(scaled.rhat == plain.rhat);
  CHECK(scaled.ess_bulk == plain.ess_bulk);
  CHECK(scaled.ess_tail == plain.ess_tail);
  CHECK(agrees(scaled.mcse_mean, 4 * plain.mcse_mean));
  CHECK(agrees(scaled.mcse_sd, 4 * plain.mcse_sd));
  CHECK(agrees(ess_mean(x.array() + 1024), ess_mean(x)));
}

TEST_CASE("quantiles interpolate between order statistics as R's type 7", "[diagnostics]") {
  MatrixXd x(2, 2);
  x << 4, 1, 2, 3;
  CHECK(quantile(x, 0) == 1);
  CHECK(quantile(x, 1) == 4);
  CHECK(quantile(x, 0.5) == 2.5);
  CHECK(agrees(quantile(x, 0.1), 1.3));
  CHECK(agrees(quantile(x, 0.8), 3.4));
}

TEST_CASE("a quantile at an order statistic is that draw itself", "[diagnostics]") {
  const VectorXd x = make({1001, 1, 0, 23});
  VectorXd sorted = x;
  std::sort(sorted.begin(), sorted.end());
  for (const int percent : {5, 10, 25, 50, 75, 90, 95}) {
    CHECK(quantile(x, percent / 100.0) == sorted[10 * percent]);
  }
}

TEST_CASE("a probability outside 0 and 1 is refused with its value", "[diagnostics]") {
  const MatrixXd x = make({10, 1, 0, 1});
  for (const double p : {-0.1, 1.5, nan_value}) {
    CHECK_THROWS_AS(quantile(x, p), std::invalid_argument);
    CHECK_THROWS_AS(mcse_quantile(x, p), std::invalid_argument);
  }
}

TEST_CASE("mean and deviation survive a large offset", "[diagnostics]") {
  MatrixXd x(3, 2);
  x << 1e9 + 1, 1e9 + 4, 1e9 + 2, 1e9 + 5, 1e9 + 3, 1e9 + 6;
  CHECK(mean(x) == 1e9 + 3.5);
  CHECK(agrees(sd(x), std::sqrt(3.5)));
}

TEST_CASE("an offset costs the figures no more than the draws lose by it", "[diagnostics]") {
  // Multiples of 2^-20, which an offset of 2^20 leaves exact.
  const MatrixXd x = (make({101, 3, 0.5, 31}) * 0x1p20).array().round() * 0x1p-20;
  const MatrixXd far = x.array() + 0x1p20;
  CHECK(agrees(ess_mean(far), ess_mean(x)));
  CHECK(agrees(mcse_mean(far), mcse_mean(x)));
  CHECK(agrees(mcse_sd(far), mcse_sd(x)));
  CHECK(agrees(rhat(far), rhat(x)));
}

TEST_CASE("the energy fraction is that of its formula, chain by chain", "[diagnostics]") {
  MatrixXd energy(4, 3);
  energy << 1, 0, 5, 2, 2, 5, 4, 0, 5, 1, 2, 5;
  const VectorXd fraction = ebfmi(energy);
  CHECK(agrees(fraction[0], 14.0 / 6.0));
  CHECK(agrees(fraction[1], 12.0 / 4.0));
  CHECK(std::isnan(fraction[2]));
  CHECK(std::isnan(ebfmi(energy.topRows(1))[0]));
  CHECK(ebfmi(MatrixXd(4, 0)).size() == 0);
}

TEST_CASE("the energy fraction is 2 for fresh energies and small for a slow walk",
          "[diagnostics]") {
  // Four standard deviations, measured over 400 seeds; the second value is 2 (1 - phi).
  CHECK(std::abs(ebfmi(make({40000, 1, 0, 29}))[0] - 2) < 0.040);
  CHECK(std::abs(ebfmi(make({40000, 1, 0.95, 29}))[0] - 0.1) < 0.013);
}

TEST_CASE("chains that move together count as one", "[diagnostics]") {
  const MatrixXd one = make({500, 4, 0.5, 41});
  MatrixXd twice(500, 8);  // chain = replicate * slots + slot
  for (Index c = 0; c < 8; ++c) twice.col(c) = one.col(c / 2);
  const StandardFigures alone = summarise(one);
  const StandardFigures pairs = summarise(twice, 2);
  CHECK(pairs.mcse_mean == Approx(alone.mcse_mean).epsilon(1e-3));
  CHECK(pairs.mcse_sd == Approx(alone.mcse_sd).epsilon(1e-3));
  CHECK(pairs.ess_bulk == Approx(alone.ess_bulk).epsilon(2e-2));
  CHECK(pairs.ess_tail == Approx(alone.ess_tail).epsilon(1e-1));
  CHECK(pairs.rhat == Approx(alone.rhat).epsilon(1e-3));
  CHECK(ess_bulk(twice) > 1.9 * pairs.ess_bulk);
}

TEST_CASE("slots of opposite noise know their mean better than independent ones", "[diagnostics]") {
  const MatrixXd one = make({500, 4, 0.0, 43});
  MatrixXd pairs(500, 8);
  for (Index c = 0; c < 8; ++c) pairs.col(c) = (c % 2 == 0 ? 1.0 : -0.8) * one.col(c / 2);
  CHECK(mcse_mean(pairs, 2) < 0.6 * mcse_mean(pairs));
  // For independent chains the only difference is different noise.
  const MatrixXd apart = make({2000, 8, 0.3, 47});
  CHECK(ess_mean(apart, 2) == Approx(ess_mean(apart)).epsilon(0.2));
}
