// Log densities against Boost.Math at 50 points each, their derivatives against differences, and
// the mean of their scores, which must be zero.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/density.hpp>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>

#include <cmath>
#include <functional>
#include <vector>

namespace {

namespace bm = boost::math;
using mixwell::Dual;
using mixwell::Index;
using S = Dual<8>;
using Numbers = std::vector<double>;
using Arguments = std::vector<S>;

/// log density of arguments (y, parameters...), where y of a mass function is data.
struct Law {
  const char* name;
  std::function<S(const Arguments&)> density;
  std::function<double(const Numbers&)> reference;
  std::vector<std::pair<double, double>> ranges;  ///< of each argument
  enum Support { line, half_line, unit, counts } support;
};

double log_pdf(const auto& law, double y) { return std::log(bm::pdf(law, y)); }

const std::vector<Law> laws = {
    {"normal",
     [](const Arguments& a) { return normal_lpdf(a[0], a[1], a[2]); },
     [](const Numbers& a) { return log_pdf(bm::normal(a[1], a[2]), a[0]); },
     {{-3, 3}, {-2, 2}, {0.5, 3}},
     Law::line},
    {"student_t",
     [](const Arguments& a) { return student_t_lpdf(a[0], a[1], a[2], a[3]); },
     [](const Numbers& a) {
       return log_pdf(bm::students_t(a[1]), (a[0] - a[2]) / a[3]) - std::log(a[3]);
     },
     {{-3, 3}, {2, 9}, {-2, 2}, {0.5, 3}},
     Law::line},
    {"cauchy",
     [](const Arguments& a) { return cauchy_lpdf(a[0], a[1], a[2]); },
     [](const Numbers& a) { return log_pdf(bm::cauchy(a[1], a[2]), a[0]); },
     {{-3, 3}, {-2, 2}, {0.5, 3}},
     Law::line},
    {"exponential",
     [](const Arguments& a) { return exponential_lpdf(a[0], a[1]); },
     [](const Numbers& a) { return log_pdf(bm::exponential(a[1]), a[0]); },
     {{0.1, 4}, {0.3, 3}},
     Law::half_line},
    {"gamma",
     [](const Arguments& a) { return gamma_lpdf(a[0], a[1], a[2]); },
     [](const Numbers& a) { return log_pdf(bm::gamma_distribution<>(a[1], 1 / a[2]), a[0]); },
     {{0.1, 5}, {0.8, 6}, {0.3, 3}},
     Law::half_line},
    {"beta",
     [](const Arguments& a) { return beta_lpdf(a[0], a[1], a[2]); },
     [](const Numbers& a) { return log_pdf(bm::beta_distribution<>(a[1], a[2]), a[0]); },
     {{0.05, 0.95}, {0.8, 5}, {0.8, 5}},
     Law::unit},
    {"poisson_log",
     [](const Arguments& a) { return poisson_log_lpmf(a[0].value, a[1]); },
     [](const Numbers& a) { return log_pdf(bm::poisson(std::exp(a[1])), a[0]); },
     {{0, 30}, {-1, 3}},
     Law::counts},
    {"neg_binomial_2_log",
     [](const Arguments& a) { return neg_binomial_2_log_lpmf(a[0].value, a[1], a[2]); },
     [](const Numbers& a) {
       return log_pdf(bm::negative_binomial(a[2], a[2] / (a[2] + std::exp(a[1]))), a[0]);
     },
     {{0, 30}, {-1, 3}, {0.5, 20}},
     Law::counts},
    {"neg_binomial_2",
     [](const Arguments& a) { return neg_binomial_2_lpmf(a[0].value, a[1], a[2]); },
     [](const Numbers& a) {
       return log_pdf(bm::negative_binomial(a[2], a[2] / (a[2] + a[1])), a[0]);
     },
     {{0, 30}, {0.5, 9}, {0.5, 20}},
     Law::counts},
    {"binomial_logit",
     [](const Arguments& a) { return binomial_logit_lpmf(a[0].value, 30, a[1]); },
     [](const Numbers& a) { return log_pdf(bm::binomial(30, mixwell::inv_logit(a[1])), a[0]); },
     {{0, 30}, {-3, 3}},
     Law::counts},
    {"bernoulli_logit",
     [](const Arguments& a) { return bernoulli_logit_lpmf(std::min(a[0].value, 1.0), a[1]); },
     [](const Numbers& a) {
       return log_pdf(bm::binomial(1, mixwell::inv_logit(a[1])), std::min(a[0], 1.0));
     },
     {{0, 1}, {-3, 3}},
     Law::counts}};

/// Seeded in the directions of the arguments.
Arguments seeded(const Numbers& at) {
  Arguments arguments;
  for (std::size_t k = 0; k < at.size(); ++k) {
    arguments.emplace_back(at[k]);
    arguments.back().slopes[static_cast<Index>(k)] = 1;
  }
  return arguments;
}

/// 50 points of a distribution. y takes whole numbers if it counts.
std::vector<Numbers> points(const Law& law) {
  Eigen::MatrixXd u(static_cast<Index>(law.ranges.size()), 50);
  mixwell::Stream(3, std::string("test/") + law.name).uniforms({}, u);
  std::vector<Numbers> all;
  for (Index j = 0; j < u.cols(); ++j) {
    all.emplace_back();
    for (std::size_t k = 0; k < law.ranges.size(); ++k) {
      const auto [low, high] = law.ranges[k];
      const double x = low + (high - low) * u(static_cast<Index>(k), j);
      all.back().push_back(k == 0 && law.support == Law::counts ? std::round(x) : x);
    }
  }
  return all;
}

/// Integral, or sum, of e^(log density) f over y.
double mean_of(const Law& law, Numbers at, const std::function<double(const S&)>& f) {
  const auto term = [&](double y) {
    at[0] = y;
    const S density = law.density(seeded(at));
    return std::exp(density.value) * f(density);
  };
  const bool is_binary = std::string(law.name) == "bernoulli_logit";
  if (law.support == Law::counts) {
    double sum = 0;
    const int last = is_binary ? 1 : std::string(law.name) == "binomial_logit" ? 30 : 4000;
    for (int y = 0; y <= last; ++y) sum += term(y);
    return sum;
  }
  // y(t) on (-1, 1), with its derivative
  bm::quadrature::tanh_sinh<double> rule;
  return rule.integrate(
      [&](double t) {
        if (law.support == Law::unit) return 0.5 * term(0.5 + 0.5 * t);
        if (law.support == Law::half_line) {
          const double y = (1 + t) / (1 - t);
          return y > 0 && y < 1e12 ? term(y) * 2 / mixwell::square(1 - t) : 0.0;
        }
        const double y = std::tan(0.5 * M_PI * t);
        return std::abs(y) < 1e12 ? term(y) * 0.5 * M_PI * (1 + y * y) : 0.0;
      },
      -1.0, 1.0);
}

}  // namespace

TEST_CASE("log densities are those of another library", "[density]") {
  for (const Law& law : laws) {
    CAPTURE(law.name);
    for (const Numbers& at : points(law))
      CHECK(law.density(seeded(at)).value == Approx(law.reference(at)).epsilon(1e-9).margin(1e-9));
  }
}

TEST_CASE("derivatives of log densities are those of their differences", "[density]") {
  constexpr double h = 1e-5;
  for (const Law& law : laws) {
    CAPTURE(law.name);
    for (const Numbers& at : points(law)) {
      const S density = law.density(seeded(at));
      for (std::size_t k = law.support == Law::counts ? 1 : 0; k < at.size(); ++k) {
        Numbers up = at;
        Numbers down = at;
        up[k] += h, down[k] -= h;
        const double quotient =
            (law.density(seeded(up)).value - law.density(seeded(down)).value) / (up[k] - down[k]);
        CHECK(density.slopes[static_cast<Index>(k)] == Approx(quotient).epsilon(1e-6).margin(1e-6));
      }
    }
  }
}

TEST_CASE("densities integrate to 1 and their scores have mean 0", "[density]") {
  for (const Law& law : laws) {
    CAPTURE(law.name);
    const Numbers at = points(law).front();
    CHECK(mean_of(law, at, [](const S&) { return 1.0; }) == Approx(1).epsilon(1e-6));
    for (std::size_t k = 1; k < at.size(); ++k)
      CHECK(mean_of(law, at, [k](const S& density) {
              return density.slopes[static_cast<Index>(k)];
            }) == Approx(0).margin(1e-6));
  }
}

TEST_CASE("integers are numbers: no half is lost", "[density]") {
  CHECK(mixwell::normal_lpdf(1, 0, 2) == Approx(log_pdf(bm::normal(0, 2), 1)));
  CHECK(mixwell::student_t_lpdf(1, 3, 0, 2) ==
        Approx(log_pdf(bm::students_t(3), 0.5) - std::log(2.0)));
  CHECK(mixwell::gamma_lpdf(2, 3, 4) == Approx(log_pdf(bm::gamma_distribution<>(3, 0.25), 2)));
}

TEST_CASE("counts that are none have no probability", "[density]") {
  CHECK(std::isnan(mixwell::poisson_log_lpmf(-1, 0.5)));
  CHECK(std::isnan(mixwell::poisson_log_lpmf(1.5, 0.5)));
  CHECK(std::isnan(mixwell::bernoulli_logit_lpmf(2, 0.5)));
  CHECK(mixwell::log_factorial(20) == Approx(std::lgamma(21.0)));
  CHECK(mixwell::log_factorial(1e6) == Approx(std::lgamma(1e6 + 1)));
}

namespace {

/// f and f' at x against a central difference.
template <class Function>
void check_function(const Function& f, double x) {
  CAPTURE(x);
  constexpr double h = 1e-6;
  S seed(x);
  seed.slopes[0] = 1;
  const S result = f(seed);
  CHECK(result.value == Approx(f(x)).epsilon(1e-12).margin(1e-14));
  CHECK(result.slopes[0] == Approx((f(x + h) - f(x - h)) / (2 * h)).epsilon(1e-6).margin(1e-8));
  CHECK(result.slopes.tail(7).isZero(0));
}

}  // namespace

TEST_CASE("functions of numbers with derivatives have those of functions", "[density]") {
  using namespace mixwell;
  for (const double x : {0.2, 0.7}) {
    check_function([](const auto& v) { return exp(v) / v; }, x);
    check_function([](const auto& v) { return expm1(v) - log1p(v); }, x);
    check_function([](const auto& v) { return log(v) * sqrt(v); }, x);
    check_function([](const auto& v) { return sin(v) * cos(v) + atan(v); }, x);
    check_function([](const auto& v) { return 2 / tanh(v); }, x);
    check_function([](const auto& v) { return pow(v, 2.5) + pow(v, v) + pow(1.5, v); }, x);
    check_function([](const auto& v) { return logit(v) + log1m(v) + Phi(v); }, x);
    check_function([](const auto& v) { return log_gamma(v); }, x);
    check_function([](const auto& v) { return 1 - (3 - v) * 2 + v / 4; }, x);
    check_function([](const auto& v) { return log_sum_exp(v, v * v); }, x);
  }
  for (const double x : {-800.0, -9.0, -0.5, 0.4, 9.0, 800.0}) {
    check_function([](const auto& v) { return log1p_exp(v); }, x);
    check_function([](const auto& v) { return inv_logit(v); }, x);
    check_function([](const auto& v) { return log_inv_logit(v) - log1m_inv_logit(v); }, x);
    check_function([](const auto& v) { return abs(v) + square(v); }, x);
    check_function([](const auto& v) { return select(v < 0, -v, 3 * v); }, x);
    check_function([](const auto& v) { return select(v >= 0, v * v, v + v); }, x);
  }
}

TEST_CASE("assignments compute what operators do", "[density]") {
  S a(3);
  S b(2);
  a.slopes[0] = b.slopes[1] = 1;
  S c = a;
  c += b, c -= 1.0, c *= a, c /= b, c *= 2.0, c -= b, c += 4.0, c /= 5.0;
  const S expected = ((a + b - 1.0) * a / b * 2.0 - b + 4.0) / 5.0;
  CHECK(c.value == Approx(expected.value));
  CHECK((c.slopes - expected.slopes).abs().maxCoeff() < 1e-14);
  CHECK(c.slopes[0] != 0);
  CHECK(c.slopes[1] != 0);
}
