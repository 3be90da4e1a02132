// The likelihood of a logistic regression: error of its functions, all shapes, all numbers of
// threads, and columns that are not finite.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/logistic-regression/likelihood.hpp"

#include "support.hpp"

#include <mixwell/lab/sampler.hpp>

#include <cmath>
#include <limits>

namespace {

using namespace mixwell;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using logistic::Likelihood;
using support::Evaluated;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

MatrixXd normals(Index rows, Index cols, const char* role) {
  MatrixXd x(rows, cols);
  Stream(3, role).normals({}, x);
  return x;
}

std::vector<bool> labels(Index cases) {
  std::vector<bool> positive;
  for (Index n = 0; n < cases; ++n) positive.push_back(n % 3 != 0);
  return positive;
}

Evaluated evaluate(const Likelihood& likelihood, const MatrixXd& theta) {
  Evaluated out{RowVectorXd::Zero(theta.cols()), MatrixXd::Zero(theta.rows(), theta.cols())};
  Workspace scratch;
  likelihood.add_to(theta, {out.u.data(), out.g, scratch});
  return out;
}

/// The definition in extended precision; `scale` bounds the rounding of g.
struct Wanted {
  Wanted(const MatrixXd& x, const MatrixXd& theta) : u(theta.cols()), g(x.cols(), theta.cols()) {
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    Long s = x.cast<long double>();
    const std::vector<bool> positive = labels(x.rows());
    for (Index n = 0; n < x.rows(); ++n)
      if (!positive[static_cast<std::size_t>(n)]) s.row(n) *= -1;
    const Long z = s * theta.cast<long double>();
    const Long e = (-z.array().abs()).exp();
    const Long w = (z.array() > 0).select(e.array() / (1 + e.array()), 1 / (1 + e.array()));
    u = ((-z.array()).max(0.0L) + e.unaryExpr([](long double y) { return std::log1p(y); }).array())
            .colwise()
            .sum()
            .cast<double>();
    g = -(s.transpose() * w).cast<double>();
    scale = (s.cwiseAbs().transpose() * w).cast<double>();
  }
  RowVectorXd u;
  MatrixXd g;
  MatrixXd scale;
};

double ulps(double got, long double wanted) {
  const double near = static_cast<double>(wanted);
  const double unit = std::nextafter(near, infinity) - near;
  return static_cast<double>(std::abs(static_cast<long double>(got) - wanted)) / unit;
}

double weight(double z) {
  double four[4] = {z, z, z, z};
  logistic::SoftplusSum value;
  logistic::to_weights<true>(four, 4, value);
  return four[0];
}

double softplus_of_minus(double z) {
  double four[4] = {z, infinity, infinity, infinity};
  logistic::SoftplusSum value;
  logistic::to_weights<true>(four, 4, value);
  return value.total();
}

/// `count` numbers from `from` to `to`, both included.
template <class Check>
void on_grid(double from, double to, int count, const Check& check) {
  for (int k = 0; k < count; ++k) check(from + (to - from) * k / (count - 1));
}

bool same_bits(const Evaluated& a, const Evaluated& b) { return a.u == b.u && a.g == b.g; }

}  // namespace

TEST_CASE("exp of a negative number is right to one unit in the last place", "[likelihood]") {
  double worst = 0;
  const auto check = [&](double a) {
    const double got = logistic::exp_of_negative(logistic::broadcast(-a))[2];
    worst = std::max(worst, ulps(got, std::exp(-static_cast<long double>(a))));
  };
  on_grid(0, 1, 200'001, check);
  on_grid(0, 708.0, 200'003, check);
  on_grid(0, 1e-12, 1001, check);
  CHECK(worst < 1.06);
  CHECK(worst > 0.5);
  for (const double a : {708.8, 709.0, 745.0, 1e308, infinity})
    CHECK(logistic::exp_of_negative(logistic::broadcast(-a))[0] == 0);
  CHECK(std::isnan(logistic::exp_of_negative(logistic::broadcast(not_a_number))[3]));
}

TEST_CASE("weights and softplus are right to a few units in the last place", "[likelihood]") {
  double worst_weight = 0;
  double worst_value = 0;
  const auto check = [&](double z) {
    const long double e = std::exp(static_cast<long double>(z));
    worst_weight = std::max(worst_weight, ulps(weight(z), 1 / (1 + e)));
    worst_value = std::max(worst_value, ulps(softplus_of_minus(z), std::log1p(1 / e)));
  };
  on_grid(-700, 700, 100'001, check);
  on_grid(-3, 3, 100'003, check);
  CHECK(worst_weight < 3.0);
  CHECK(worst_value < 3.0);
}

TEST_CASE("weights and softplus have their limits at both ends", "[likelihood]") {
  for (const double z : {709.0, 1e5, 1e308, infinity}) {
    CHECK(weight(z) == 0);
    CHECK(softplus_of_minus(z) == 0);
    CHECK(weight(-z) == 1);
    CHECK(softplus_of_minus(-z) == z);
  }
  CHECK(std::isnan(weight(not_a_number)));
  CHECK(std::isnan(softplus_of_minus(not_a_number)));
}

TEST_CASE("a likelihood is that of its definition in every shape", "[likelihood]") {
  for (const Index cases : {1, 11, 12, 13, 144, 145, 500}) {
    for (const Index d : {1, 2, 3, 5, 8, 17, 400, 1500}) {
      const MatrixXd x = normals(cases, d, "x");
      const Likelihood likelihood(x, labels(cases));
      for (const Index width : {1, 2, 3, 4, 5, 9}) {
        const MatrixXd theta = 3 * normals(d, width, "theta") / std::sqrt(static_cast<double>(d));
        const Evaluated got = evaluate(likelihood, theta);
        const Wanted wanted(x, theta);
        INFO(cases << " x " << d << ", width " << width);
        // Rounding of z is up to about d units, but random.
        CHECK(((got.u - wanted.u).array() / wanted.u.array()).abs().maxCoeff() < 2e-14);
        CHECK(((got.g - wanted.g).array() / wanted.scale.array()).abs().maxCoeff() < 2e-14);
      }
    }
  }
}

TEST_CASE("a column has the same bits in every batch", "[likelihood]") {
  for (const auto& [cases, d] : {std::pair<Index, Index>{500, 25}, {1400, 784}}) {
    const Likelihood likelihood(normals(cases, d, "x"), labels(cases));
    const MatrixXd theta = normals(d, 33, "theta") / std::sqrt(static_cast<double>(d));
    const Evaluated all = evaluate(likelihood, theta);
    for (Index width = 1; width <= 33; ++width) {
      const Index first = (7 * width) % (34 - width);
      const Evaluated some = evaluate(likelihood, theta.middleCols(first, width));
      INFO(cases << " x " << d << ", width " << width);
      CHECK(some.u == all.u.middleCols(first, width));
      CHECK(some.g == all.g.middleCols(first, width));
    }
  }
}

TEST_CASE("the gradient alone has the bits it has beside the value", "[likelihood]") {
  const Likelihood likelihood(normals(300, 7, "x"), labels(300));
  const MatrixXd theta = normals(7, 5, "theta");
  MatrixXd g = MatrixXd::Zero(7, 5);
  Workspace scratch;
  likelihood.add_to(theta, {nullptr, g, scratch});
  CHECK(g == evaluate(likelihood, theta).g);
}

TEST_CASE("a likelihood is added to what is there", "[likelihood]") {
  const Likelihood likelihood(normals(300, 7, "x"), labels(300));
  const MatrixXd theta = normals(7, 2, "theta");
  const Evaluated alone = evaluate(likelihood, theta);
  Evaluated out{RowVectorXd::Constant(2, 1000), MatrixXd::Constant(7, 2, -50)};
  Workspace scratch;
  likelihood.add_to(theta, {out.u.data(), out.g, scratch});
  CHECK(out.u == (alone.u.array() + 1000).matrix());
  CHECK(out.g == (alone.g.array() - 50).matrix());
}

TEST_CASE("trouble of one column leaves the others alone", "[likelihood]") {
  for (const Index cases : {24, 31}) {  // with and without rows that only fill a panel
    const Likelihood likelihood(normals(cases, 6, "x"), labels(cases));
    const MatrixXd sound = normals(6, 5, "theta");
    const Evaluated wanted = evaluate(likelihood, sound);
    for (const double bad : {not_a_number, infinity, -infinity, 1e308}) {
      MatrixXd theta = sound;
      theta(4, 2) = bad;
      const Evaluated got = evaluate(likelihood, theta);
      for (const Index j : {0, 1, 3, 4}) {
        CHECK(got.u[j] == wanted.u[j]);
        CHECK(got.g.col(j) == wanted.g.col(j));
      }
      CHECK(!std::isfinite(got.u[2]));
    }
  }
}

TEST_CASE("infinite coefficients give the gradient of certain predictions", "[likelihood]") {
  const MatrixXd x = normals(31, 1, "x");
  const std::vector<bool> positive = labels(31);
  double wanted = 0;
  for (Index n = 0; n < 31; ++n) {
    const double signed_x = positive[static_cast<std::size_t>(n)] ? x(n) : -x(n);
    wanted -= std::min(signed_x, 0.0);
  }
  const Evaluated got = evaluate(Likelihood(x, positive), MatrixXd::Constant(1, 1, infinity));
  CHECK(got.u[0] == infinity);
  CHECK(got.g(0) == Approx(wanted).epsilon(1e-14));
}

TEST_CASE("shards give the same bits on any number of threads", "[likelihood]") {
  const Likelihood likelihood(normals(1500, 784, "x"), labels(1500));
  REQUIRE(likelihood.shards() > 3);
  for (const Index width : {1, 5}) {
    const MatrixXd theta = normals(784, width, "theta") / 28;
    Evaluated one;
    with_threads(1, [&] { one = evaluate(likelihood, theta); });
    for (const int threads : {2, 3}) {
      for (int repeat = 0; repeat < 5; ++repeat) {
        with_threads(threads, [&] { CHECK(same_bits(evaluate(likelihood, theta), one)); });
      }
    }
  }
}

TEST_CASE("data of a thousand cases and 25 coefficients are one shard", "[likelihood]") {
  CHECK(Likelihood(normals(1000, 25, "x"), labels(1000)).shards() == 1);
  CHECK(Likelihood(normals(1400, 784, "x"), labels(1400)).shards() > 1);
}

TEST_CASE("a sum of softplus is right however many terms it has") {
  logistic::SoftplusSum sum;
  long double wanted = 0;
  for (int part = 0; part < 100; ++part) {
    double z[144];
    for (int n = 0; n < 144; ++n) {
      z[n] = -3.0 + 0.05 * n;
      wanted += std::log1p(std::exp(static_cast<long double>(-z[n])));
    }
    logistic::to_weights<true>(z, 144, sum);
  }
  CHECK(sum.total() == Approx(static_cast<double>(wanted)).epsilon(1e-13));
}
