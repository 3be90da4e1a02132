// Tests model `stable-factorisation`: scales, potential, blocks, separation and error messages.
// SPDX-License-Identifier: Apache-2.0
#include "../../plugins/stable-factorisation/stable_scale.hpp"
#include "guest_models.hpp"
#include "unit/block_of_model.hpp"
#include "unit/support.hpp"

#include <mixwell/contracts/model.hpp>

#include <cmath>
#include <numbers>
#include <string>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using guests::make_model;
using guests::refusal;
using mixwell::Model;
using mixwell::stable_factorisation::StableScale;
using support::contains;
using support::evaluate;

const std::string header = "row,column,real,imaginary\n";
/// A 2 x 3 matrix with 5 known entries.
const std::string five =
    header + "0,0,1.5,-0.5\n0,1,-0.2,0.1\n1,0,0.3,2\n1,1,-4,0.7\n1,2,0.4,0.4\n";

class Fixture {
 public:
  std::string body(const std::string& text, const std::string& rest) const {
    return "use = \"stable-factorisation\"\ndata = \"" + folder_.file("entries.csv", text) +
           "\"\n" + rest;
  }

 private:
  support::TemporaryFolder folder_;
};

const std::string two_sources =
    "alpha = [1.2, 1.8]\nranks = [2, 1]\nrow_shape = 3\ncolumn_shape = 4\ncolumn_scale = 0.7\n";

/// The mean of f(y, w) over the distribution of an angle and an energy, by the trapezoidal rule.
template <class F>
double mean_over_scales(const F& f) {
  constexpr double h = 0.05;
  double sum = 0.0;
  for (double y = -40.0; y <= 40.0; y += h)
    for (double w = -40.0; w <= 5.0; w += h)
      sum += f(y, w) * std::exp(-StableScale::potential(y, w));
  return sum * h * h;
}

/// E Phi^q = 2^q Gamma(1 - q / a) / Gamma(1 - q), a = alpha / 2; follows from E exp(-t Phi) =
/// exp(-(2 t)^a).
double moment(double alpha, double q) {
  return std::pow(2.0, q) * std::tgamma(1.0 - 2.0 * q / alpha) / std::tgamma(1.0 - q);
}

}  // namespace

TEST_CASE("scales have the moments of a positive stable distribution") {
  for (const double alpha : {0.6, 1.2, 1.89}) {
    const StableScale scale(alpha);
    for (const double q : {-1.0, -0.3, 0.2}) {
      INFO("alpha = " << alpha << ", q = " << q);
      const double found =
          mean_over_scales([&](double y, double w) { return std::exp(q * scale.log_scale(y, w)); });
      CHECK(found == Approx(moment(alpha, q)).epsilon(1e-3 * alpha));
    }
  }
}

TEST_CASE("with alpha = 1 entries are isotropic Cauchy after the scales are integrated out") {
  const Fixture fixture;
  const StableScale scale(1.0);
  const double lambda = 1.3 * 0.8;
  for (const double r : {0.0, 0.7, 5.0}) {
    const auto model = make_model(
        fixture.body(header + "0,0," + std::to_string(r) + ",0\n", "alpha = [1]\nranks = [1]\n"));
    VectorXd theta(4);
    theta << 1.3, -0.8, 0.0, 0.0;
    const mixwell::SumOfTerms& terms = *model->offers<mixwell::SumOfTerms>();
    const MatrixXd first = MatrixXd::Zero(1, 1);
    MatrixXd g(4, 1);
    mixwell::Workspace scratch;
    const double density = mean_over_scales([&](double y, double w) {
      theta(2) = y;
      theta(3) = w;
      double u = 0.0;
      terms.evaluate_terms(theta, first, {&u, g, scratch});
      return std::exp(-u);
    });
    const double wanted =
        lambda / (2.0 * std::numbers::pi * std::pow(lambda * lambda + r * r, 1.5));
    INFO("|x| = " << r);
    CHECK(density == Approx(wanted).epsilon(1e-3));
  }
}

TEST_CASE("a factorisation with two stable sources satisfies the contract of models") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(five, two_sources));
  const auto findings = mixwell::contracts::check_model(*model);
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("the conditional potential of scales agrees with U of the whole model") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(five, two_sources));
  CHECK(support::off_the_whole(*model, {"angle", "energy"}) < 1e-12);
  CHECK(support::off_the_whole(*model, {"angle[1]", "energy[1]"}) < 1e-12);
  CHECK(support::block_of(*model, {"angle"}) == nullptr);
  CHECK(support::block_of(*model, {"angle[0]", "energy[1]"}) == nullptr);
  CHECK(support::block_of(*model, {"row_factors"}) == nullptr);
}

TEST_CASE("the misfit of an entry is the change of U by its scales without their prior") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(five, two_sources));
  const auto block = std::dynamic_pointer_cast<const mixwell::IndependentElements>(
      support::block_of(*model, {"angle", "energy"}));
  REQUIRE(block != nullptr);
  REQUIRE(block->elements() == 5);
  VectorXd theta(model->dimension());
  for (Index i = 0; i < theta.size(); ++i)
    theta(i) = 0.3 + 0.5 * std::sin(1.0 + 2.3 * static_cast<double>(i));
  const VectorXd own = theta.tail(20);
  mixwell::Workspace scratch;
  MatrixXd cache(block->cache_rows(), 1);
  block->prepare(theta, cache, scratch);
  const mixwell::ConditionalCaches caches(
      mixwell::Numbers(mixwell::ConstMatrixMap(cache.data(), cache.rows(), 1)), 0);
  const auto misfits = [&](const VectorXd& x) {
    MatrixXd out(5, 1);
    block->misfits(caches, x, out);
    return VectorXd(out);
  };
  const VectorXd before = misfits(own);
  for (Index row = 0; row < 20; ++row) {
    VectorXd x = own;
    x(row) += 0.4;
    const VectorXd change = misfits(x) - before;
    VectorXd others = change;
    others(row % 5) = 0.0;
    CHECK(others.isZero(0.0));
    VectorXd moved = theta;
    moved(theta.size() - 20 + row) += 0.4;
    const auto prior = [&](const VectorXd& at) {
      const Index k = row % 10;
      return StableScale::potential(at(k), at(10 + k));
    };
    const double wanted =
        evaluate(*model, moved).u(0) - evaluate(*model, theta).u(0) - (prior(x) - prior(own));
    CHECK(change(row % 5) == Approx(wanted).epsilon(1e-9).margin(1e-9));
  }
}

TEST_CASE("the first source is its share of the variance, and its distortion is in decibels") {
  // With alpha = 1, Phi = 1 / e at the angle pi / 2. Entry 0 has variances 1 and 4, entry 1 has
  // 1/4 and 1/4.
  const Fixture fixture;
  const auto model =
      make_model(fixture.body("row,column,real,imaginary,source_real,source_imaginary\n"
                              "0,0,5,-10,1,-1\n1,0,0.5,1,0,1\n",
                              "alpha = [1, 1]\nranks = [1, 1]\nhas_source = true\n"));
  const mixwell::Prediction* const separation = model->offers<mixwell::Prediction>();
  REQUIRE(separation != nullptr);
  VectorXd theta = VectorXd::Zero(14);
  theta.head(6) << 1.0, -2.0, 0.5, 0.5, 1.0, 1.0;  // rows 0 and 1, then the column
  const auto predicted = [&] {
    MatrixXd out(separation->predicted(), 1);
    separation->predict(theta, out);
    return VectorXd(out);
  };
  CHECK(predicted().isApprox(Eigen::Vector4d(1.0, 0.25, -2.0, 0.5), 1e-12));
  // Errors 0, 1/4, -1, -1/2; the source's squares add up to 3.
  CHECK(separation->error(predicted()) == Approx(10.0 * std::log10((0.0625 + 1.0 + 0.25) / 3.0)));
  theta(10) = -std::log(4.0);  // e of the first source in entry 0: now its variance is 4 too
  CHECK(predicted().isApprox(Eigen::Vector4d(2.5, 0.25, -5.0, 0.5), 1e-12));
  CHECK(
      make_model(fixture.body(five, "alpha = [1]\nranks = [1]\n"))->offers<mixwell::Prediction>() ==
      nullptr);
}

TEST_CASE("errors name what is wrong with entries and sources") {
  const Fixture fixture;
  const auto message = [&](const std::string& text, const std::string& rest) {
    return refusal(fixture.body(text, rest));
  };
  const std::string one = "alpha = [1.5]\n";
  CHECK(contains(
      message(header + "0,0,1,1\n0,0,2,2\n", one),
      ":3: the entry in row 0, column 0 of the matrix appears a second time. Keep only one"));
  CHECK(contains(message(header + "0,0,1,1\n2,0,2,2\n", one), "row 1 has no entry"));
  CHECK(contains(message(header + "0,0.5,1,1\n", one),
                 ":2: row 1, column \"column\": the row or column of an entry must be a whole "
                 "number that is at least 0"));
  CHECK(contains(message(header, one), "no"));
  CHECK(contains(message(five, "alpha = [1.5, 1.2]\n"),
                 "but has 1 for 2 sources (`alpha` has one number for each source). Give one rank "
                 "for each source"));
  CHECK(contains(message(five, one + "ranks = [1.5]\n"), "must be whole numbers"));
  CHECK(contains(message(five, one + "has_source = true\n"),
                 "a single source is the whole matrix. Give at least two numbers in `alpha`"));
  CHECK(contains(message(five, "alpha = [2]\n"), "alpha"));
}
