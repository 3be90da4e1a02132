// Draws from standard distributions against their distribution functions: Kolmogorov's distance of
// 20000 draws. Each test fails by chance with probability 1e-6 (30 of them in this file). A
// distribution that is off by a few per cent must fail.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/detail/standard_draws.hpp>

#include <Eigen/LU>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/inverse_gaussian.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

using namespace mixwell;
namespace law = boost::math;

namespace {

constexpr Index count = 20000;
constexpr double infinity = std::numeric_limits<double>::infinity();
/// 2 exp(-2 x^2) = 1e-6.
constexpr double bound = 2.693;

using Cdf = std::function<double(double)>;

/// sqrt(n) times the largest distance of the draws' distribution from `cdf`.
double distance(std::vector<double> x, const Cdf& cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double at = cdf(x[k]);
    const auto below = static_cast<double>(k);
    largest = std::max({largest, at - below / n, (below + 1.0) / n - at});
  }
  return std::sqrt(n) * largest;
}

/// One draw of each of `count` replicates.
template <class DrawOne>
std::vector<double> draws(const DrawOne& draw) {
  const Stream stream(11, "test/standard-draws");
  std::vector<double> all;
  for (Index r = 0; r < count; ++r) {
    RandomNumbers random(stream, {3, 0, static_cast<std::uint64_t>(r)});
    all.push_back(draw(random));
  }
  return all;
}

template <class Law>
Cdf cdf_of(Law of) {
  return [of](double x) { return law::cdf(of, x); };
}

template <class DrawOne>
void agrees(const DrawOne& draw, const Cdf& right, const Cdf& wrong) {
  const std::vector<double> x = draws(draw);
  CHECK(distance(x, right) < bound);
  CHECK(distance(x, wrong) > bound);
}

Eigen::ArrayXd as_array(const std::vector<double>& x) {
  return Eigen::ArrayXd::Map(x.data(), static_cast<Index>(x.size()));
}

/// By the trapezoidal rule in log x, 1e-9 or better for the densities here.
class NumericalCdf {
 public:
  NumericalCdf(double p, double a, double b) {
    double sum = 0.0;
    for (Index k = 0; k < static_cast<Index>((high - low) / step); ++k) {
      const double y = low + step * static_cast<double>(k);
      const double x = std::exp(y);
      sum += std::exp(p * y - 0.5 * (a * x + b / x));
      cumulative_.push_back(sum);
    }
  }
  double operator()(double x) const {
    const double place = (std::log(x) - low) / step + 0.5;
    const auto k = static_cast<std::size_t>(place);
    const double before = k == 0 ? 0.0 : cumulative_[k - 1];
    const double part = place - std::floor(place);
    return (before + part * (cumulative_[k] - before)) / cumulative_.back();
  }

 private:
  static constexpr double low = -40.0;
  static constexpr double high = 12.0;
  static constexpr double step = 1e-3;
  std::vector<double> cumulative_;
};

}  // namespace

TEST_CASE("numbers of one replicate are uniform, normal, and none of another's") {
  const Cdf standard = cdf_of(law::normal());
  const Stream stream(11, "test/numbers");
  RandomNumbers random(stream, {0, 1, 2});
  std::vector<double> u;
  std::vector<double> z;
  for (Index k = 0; k < count; ++k) {
    u.push_back(random.uniform());
    z.push_back(random.normal());
  }
  CHECK(distance(u, [](double x) { return x; }) < bound);
  CHECK(distance(z, standard) < bound);
  const Eigen::ArrayXd products = as_array(z).head(count - 1) * as_array(z).tail(count - 1);
  CHECK(std::abs(support::z_score(products, 0.0)) < 5.0);
  RandomNumbers same(stream, {0, 1, 2});
  RandomNumbers other(stream, {0, 1, 3});
  RandomNumbers later(stream, {0, 2, 2});
  CHECK(same.uniform() == u.front());
  CHECK(other.uniform() != u.front());
  CHECK(later.uniform() != u.front());
  CHECK_THROWS_AS(RandomNumbers(stream, {0, 256, 0}), std::out_of_range);
}

TEST_CASE("gammas of large and small shapes, and their logarithms") {
  for (const double shape : {0.05, 0.4, 1.0, 2.5, 60.0}) {
    INFO("shape " << shape);
    agrees([&](RandomNumbers& r) { return draw_gamma(r, shape, 3.0); },
           cdf_of(law::gamma_distribution<>(shape, 1.0 / 3.0)),
           cdf_of(law::gamma_distribution<>(1.1 * shape, 1.0 / 3.0)));
  }
  // So small that most draws are below the smallest double: x^shape is nearly uniform.
  const auto x = draws([](RandomNumbers& r) { return draw_log_gamma(r, 1e-4, 1.0); });
  CHECK(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
  CHECK(distance(x, [](double v) { return std::exp(1e-4 * v); }) < bound);
}

TEST_CASE("normal and precision of a conjugate normal law") {
  std::vector<double> mean;
  std::vector<double> precision;
  std::vector<double> given;
  draws([&](RandomNumbers& r) {
    const NormalGamma x = draw_normal_gamma(r, 2.0, 0.5, 3.0, 4.0);
    mean.push_back(x.mean);
    precision.push_back(x.precision);
    given.push_back((x.mean - 2.0) * std::sqrt(0.5 * x.precision));
    return 0.0;
  });
  CHECK(distance(precision, cdf_of(law::gamma_distribution<>(3.0, 0.25))) < bound);
  CHECK(distance(given, cdf_of(law::normal())) < bound);
  // The marginal distribution of the mean is Student's t with 2 shape degrees of freedom, scale^2 =
  // rate / (shape strength).
  const double scale = std::sqrt(4.0 / (3.0 * 0.5));
  const law::students_t t(6.0);
  CHECK(distance(mean, [&](double x) { return law::cdf(t, (x - 2.0) / scale); }) < bound);
  CHECK(distance(mean, [&](double x) { return law::cdf(t, (x - 2.0) / (1.1 * scale)); }) > bound);
}

TEST_CASE("Wishart matrices and normal means given them") {
  Eigen::MatrixXd scale(3, 3);
  scale << 1.0, 0.0, 0.0, 0.5, 2.0, 0.0, -0.3, 0.7, 0.5;
  const Eigen::MatrixXd S = scale * scale.transpose();
  const double degrees = 5.5;
  Eigen::MatrixXd C(3, 3);
  Eigen::MatrixXd m(3, 1);
  m << 1.0, -2.0, 0.5;
  Eigen::MatrixXd mean(3, 1);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(9, count);
  std::vector<double> diagonal;
  std::vector<double> given;
  Index r = 0;
  draws([&](RandomNumbers& random) {
    draw_normal_wishart(random, m, 2.0, degrees, scale, mean, C);
    const Eigen::MatrixXd W = C * C.transpose();
    sums.col(r++) = W.reshaped();
    const Eigen::Vector3d v(0.2, -1.0, 0.4);
    diagonal.push_back(v.dot(W * v) / v.dot(S * v));
    given.push_back(v.dot((mean - m).col(0)) / std::sqrt(v.dot(W.inverse() * v) / 2.0));
    return 0.0;
  });
  for (Index k = 0; k < 9; ++k) {
    INFO("entry " << k);
    const double wanted = degrees * S.reshaped()(k);
    CHECK(std::abs(support::z_score(sums.row(k).transpose(), wanted)) < 5.0);
  }
  CHECK(distance(diagonal, cdf_of(law::chi_squared(degrees))) < bound);
  CHECK(distance(diagonal, cdf_of(law::chi_squared(degrees + 0.5))) > bound);
  CHECK(distance(given, cdf_of(law::normal())) < bound);
}

TEST_CASE("categories come in proportion to their weights, however large these are") {
  const std::vector<double> weights = {0.1, 0.0, 0.5, 0.15, 0.25};
  for (const double shift : {0.0, 800.0, -5000.0}) {
    Eigen::VectorXd counts = Eigen::VectorXd::Zero(5);
    draws([&](RandomNumbers& random) {
      Eigen::VectorXd logs(5);
      for (Index k = 0; k < 5; ++k)
        logs(k) = shift + std::log(weights[static_cast<std::size_t>(k)]);
      counts(draw_categorical(random, logs)) += 1.0;
      return 0.0;
    });
    CHECK(counts(1) == 0.0);
    for (Index k = 0; k < 5; ++k) {
      const double p = weights[static_cast<std::size_t>(k)];
      const double error = std::sqrt(count * p * (1.0 - p));
      CHECK(std::abs(counts(k) - count * p) <= 5.0 * error);
    }
  }
}

TEST_CASE("Dirichlet draws have beta margins, and sum to one where all are tiny") {
  Eigen::MatrixXd concentrations(3, 1);
  concentrations << 0.3, 2.0, 1.2;
  Eigen::MatrixXd out(3, 1);
  for (Index k = 0; k < 3; ++k) {
    const double a = concentrations(k, 0);
    agrees(
        [&](RandomNumbers& random) {
          draw_dirichlet(random, concentrations, out);
          return out(k, 0);
        },
        cdf_of(law::beta_distribution<>(a, 3.5 - a)),
        cdf_of(law::beta_distribution<>(1.15 * a, 3.5 - a)));
  }
  concentrations.setConstant(1e-5);
  const auto sums = draws([&](RandomNumbers& random) {
    draw_dirichlet(random, concentrations, out);
    return out.sum();
  });
  CHECK((as_array(sums) - 1.0).abs().maxCoeff() < 1e-14);
}

TEST_CASE("inverse Gaussians") {
  for (const auto& [mean, shape] : {std::pair(2.0, 0.3), std::pair(0.5, 5.0)}) {
    agrees([m = mean, s = shape](RandomNumbers& r) { return draw_inverse_gaussian(r, m, s); },
           cdf_of(law::inverse_gaussian(mean, shape)),
           cdf_of(law::inverse_gaussian(mean, 1.15 * shape)));
  }
}

TEST_CASE("generalised inverse Gaussians of every size of their parameters") {
  struct Parameters {
    double p, a, b;
  };
  for (const auto& [p, a, b] :
       {Parameters{0.5, 2.0, 3.0}, Parameters{-0.5, 1.0, 1.0}, Parameters{3.0, 0.1, 0.2},
        Parameters{-4.0, 2.0, 0.01}, Parameters{0.0, 0.3, 0.3}, Parameters{0.0, 1e-3, 1e-3},
        Parameters{20.0, 50.0, 50.0}}) {
    INFO("p " << p << ", a " << a << ", b " << b);
    const double power = p;
    const double along = a;
    const double against = b;
    agrees(
        [=](RandomNumbers& r) {
          return draw_generalised_inverse_gaussian(r, power, along, against);
        },
        NumericalCdf(p, a, b), NumericalCdf(p + 0.3 * (1.0 + 0.1 * std::abs(p)), a, b));
  }
  // E x = sqrt(b / a) K_{p+1}(omega) / K_p(omega); p = -1/2 is an inverse Gaussian.
  const auto x =
      draws([](RandomNumbers& r) { return draw_generalised_inverse_gaussian(r, 1.5, 2.0, 0.5); });
  const double ratio = law::cyl_bessel_k(2.5, 1.0) / law::cyl_bessel_k(1.5, 1.0);
  CHECK(std::abs(support::z_score(as_array(x), 0.5 * ratio)) < 5.0);
  const auto inverse =
      draws([](RandomNumbers& r) { return draw_generalised_inverse_gaussian(r, -0.5, 2.0, 8.0); });
  CHECK(distance(inverse, cdf_of(law::inverse_gaussian(2.0, 8.0))) < bound);
}

TEST_CASE("truncated normals around the mean, in a tail, and in a narrow strip of it") {
  struct Strip {
    double low, high;
  };
  for (const auto& [low, high] :
       {Strip{-infinity, infinity}, Strip{-1.0, infinity}, Strip{0.5, infinity},
        Strip{4.0, infinity}, Strip{-infinity, -3.0}, Strip{-0.3, 0.8}, Strip{3.0, 3.2},
        Strip{-9.0, -7.0}}) {
    INFO("from " << low << " to " << high);
    const double mean = 0.3;
    const double sd = 0.8;
    const auto x = draws([=, l = low, h = high](RandomNumbers& r) {
      return draw_truncated_normal(r, mean, sd, l, h);
    });
    CHECK(*std::min_element(x.begin(), x.end()) > low);
    CHECK(*std::max_element(x.begin(), x.end()) < high);
    // From the end that is nearer to the mean, where the tail probabilities are not 0.
    const bool upper = low > mean;
    const law::normal n(mean, sd);
    const auto beyond = [&](double v) {
      if (std::isinf(v)) return (v > 0.0) == upper ? 0.0 : 1.0;
      return upper ? law::cdf(law::complement(n, v)) : law::cdf(n, v);
    };
    const double at_low = beyond(low);
    const double at_high = beyond(high);
    const auto cdf = [&](double v) { return (beyond(v) - at_low) / (at_high - at_low); };
    CHECK(distance(x, cdf) < bound);
  }
}
