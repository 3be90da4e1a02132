// Draws of whole numbers against their probabilities: chi-square of 20000 draws in cells of at
// least 20. Each test fails by chance with probability 1e-6 (20 of them in this file). A
// distribution that is off by a few per cent must fail.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/detail/standard_draws.hpp>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <cmath>
#include <functional>
#include <limits>

using namespace mixwell;
namespace law = boost::math;

namespace {

constexpr Index count = 20000;

template <class DrawOne>
Eigen::ArrayXd draws(const DrawOne& draw) {
  const Stream stream(12, "test/discrete-draws");
  Eigen::ArrayXd all(count);
  for (Index r = 0; r < count; ++r) {
    RandomNumbers random(stream, {3, 0, static_cast<std::uint64_t>(r)});
    all[r] = draw(random);
  }
  return all;
}

/// P of a chi-square at least as large, for cells of neighbouring numbers from 0 on.
double p_value(const Eigen::ArrayXd& x, const std::function<double(double)>& probability) {
  const double most = x.maxCoeff();
  double statistic = 0;
  double seen = 0;
  double expected = 0;
  double left = count;
  int cells = 0;
  const auto close = [&](double also_seen, double also_expected) {
    const double off = seen + also_seen - expected - also_expected;
    statistic += off * off / (expected + also_expected);
    seen = expected = 0;
    ++cells;
  };
  for (double k = 0; k <= most; ++k) {
    seen += static_cast<double>((x == k).count());
    const double here = count * probability(k);
    expected += here;
    left -= here;
    if (expected >= 20 && left >= 20) close(0, 0);
  }
  close(0, left);
  return law::cdf(law::complement(law::chi_squared(cells - 1), statistic));
}

template <class DrawOne, class Law>
void agrees(const DrawOne& draw, const Law& right, const Law& wrong) {
  const Eigen::ArrayXd x = draws(draw);
  REQUIRE((x == x.floor()).all());
  CHECK(p_value(x, [&](double k) { return law::pdf(right, k); }) > 1e-6);
  CHECK(p_value(x, [&](double k) { return law::pdf(wrong, k); }) < 1e-6);
}

}  // namespace

TEST_CASE("Poisson draws have their probabilities on both sides of mean 10", "[draws][slow]") {
  for (const double mean : {0.05, 0.7, 4.0, 9.99, 10.01, 37.0, 1200.0}) {
    CAPTURE(mean);
    const double off = mean * (1 + 0.06 / std::min(1.0, std::sqrt(mean)));
    const double slightly = mean < 10 ? off : mean + 0.1 * std::sqrt(mean);
    agrees([&](RandomNumbers& r) { return draw_poisson(r, mean); }, law::poisson(mean),
           law::poisson(mean < 0.1 ? 1.3 * mean : slightly));
  }
}

TEST_CASE("binomial draws have their probabilities, rare and frequent", "[draws]") {
  struct Case {
    double n, p;
  };
  for (const Case& one : {Case{1, 0.3}, Case{7, 0.5}, Case{40, 0.04}, Case{19, 0.6}, Case{50, 0.3},
                          Case{300, 0.97}, Case{3000, 0.4}}) {
    const double n = one.n;
    const double p = one.p;
    CAPTURE(n, p);
    const double sd = std::sqrt(p * (1 - p) / n);
    agrees([&](RandomNumbers& r) { return draw_binomial(r, n, p); }, law::binomial(n, p),
           law::binomial(n, p - 0.1 * sd));
  }
}

TEST_CASE("negative binomial draws have mean mu and dispersion phi", "[draws]") {
  const double mu = 6;
  const double phi = 1.7;
  agrees([&](RandomNumbers& r) { return draw_negative_binomial(r, mu, phi); },
         law::negative_binomial(phi, phi / (phi + mu)),
         law::negative_binomial(1.25 * phi, 1.25 * phi / (1.25 * phi + mu)));
}

TEST_CASE("draws made of gammas have their distribution functions", "[draws]") {
  const auto distance = [](const Eigen::ArrayXd& x, const auto& of) {
    return support::ks_statistic(x, [&](double at) { return law::cdf(of, at); });
  };
  const Eigen::ArrayXd share = draws([](RandomNumbers& r) { return draw_beta(r, 0.4, 2.5); });
  CHECK(distance(share, law::beta_distribution<>(0.4, 2.5)) < 2.7);
  CHECK(distance(share, law::beta_distribution<>(0.44, 2.5)) > 2.7);
  const Eigen::ArrayXd t = draws([](RandomNumbers& r) { return draw_student_t(r, 3.5); });
  CHECK(distance(t, law::students_t(3.5)) < 2.7);
  CHECK(distance(t, law::students_t(12.0)) > 2.7);
}

// Loader's form keeps its digits where differences of log Gamma have none: 1e13 (log 1e13) 1e-16.
TEST_CASE("draws of huge counts have the moments of a normal", "[draws]") {
  const double large = 1e13;
  const Eigen::ArrayXd a =
      (draws([&](RandomNumbers& r) { return draw_poisson(r, large); }) - large) / std::sqrt(large);
  const double p = 0.3;
  const Eigen::ArrayXd b =
      (draws([&](RandomNumbers& r) { return draw_binomial(r, large, p); }) - large * p) /
      std::sqrt(large * p * (1 - p));
  for (const Eigen::ArrayXd& z : {a, b})
    CHECK(support::ks_statistic(z, &support::normal_below) < 2.7);
}

TEST_CASE("draws at the ends of their parameters end", "[draws]") {
  const Stream stream(1, "test/discrete-draws");
  RandomNumbers random(stream, {});
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(draw_poisson(random, 0) == 0);
  CHECK(draw_poisson(random, infinity) == infinity);
  CHECK(draw_poisson(random, 1e300) == 1e300);
  CHECK(std::isnan(draw_poisson(random, -1)));
  CHECK(std::isnan(draw_poisson(random, std::nan(""))));
  CHECK(draw_binomial(random, 5, 0) == 0);
  CHECK(draw_binomial(random, 5, 1) == 5);
  CHECK(draw_binomial(random, 0, 0.5) == 0);
  CHECK(std::isnan(draw_binomial(random, 5, 1.1)));
  CHECK(std::isnan(draw_binomial(random, 5.5, 0.5)));
  CHECK(std::isnan(draw_binomial(random, 5, std::nan(""))));
}

TEST_CASE("cases take the same numbers however many there are", "[draws]") {
  const Stream stream(1, "test/cases");
  const auto all = [&](Index cases, Address at) {
    Eigen::VectorXd x(cases);
    each_case(cases, stream, at, [&](Index n, RandomNumbers& random) { x[n] = random.uniform(); });
    return x;
  };
  const Eigen::VectorXd many = all(9000, {2, 0, 5});
  CHECK(many.head(5000) == all(5000, {2, 0, 5}));
  CHECK(many.tail(4904) != many.segment(0, 4904));
  CHECK(many.head(100) != all(100, {2, 0, 6}));
  CHECK(std::abs(support::z_score(many.array(), 0.5)) < 5);
  CHECK(all((1 << 20) + 1, {}).size() == (1 << 20) + 1);
}
