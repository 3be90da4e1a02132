// The model `probit-regression`: tails of the normal distribution, potential, simulated cases,
// refusals.
// SPDX-License-Identifier: Apache-2.0
#include "../../models/probit-regression/likelihood.hpp"
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using mixwell::Stream;
using support::contains;
using support::evaluate;
using support::make_model;
using support::refusal;
namespace probit = mixwell::probit;

/// Mills' ratio (1 - Phi(x)) / phi(x) = int_0^inf exp(-x t - t^2 / 2) dt for x >= 0: with t = e^s
/// the trapezoidal rule converges like exp(-pi^2 / h).
long double mills(long double x) {
  constexpr long double h = 1.0L / 16;
  long double sum = 0;
  for (int k = -60 * 16; k <= 5 * 16; ++k) {
    const long double t = std::exp(h * k);
    sum += std::exp(-x * t - t * t / 2) * t;
  }
  return h * sum;
}

long double log_density(long double x) {
  return -x * x / 2 - 0.918938533204672741780329736405617640L;
}

/// log Phi and its derivative.
long double log_below(long double x) {
  if (x <= 0) return log_density(x) + std::log(mills(-x));
  return std::log1p(-std::exp(log_below(-x)));
}
long double slope(long double x) { return std::exp(log_density(x) - log_below(x)); }

const std::string small = "x,y,label\n1,2,no\n2,1,yes\n4,3,yes\n5,8,no\n7,1,yes\n";
const MatrixXd small_design{{1, 1, 2}, {1, 2, 1}, {1, 4, 3}, {1, 5, 8}, {1, 7, 1}};
const VectorXd small_signs{{-1, 1, 1, -1, 1}};

const std::string use = "use = \"probit-regression\"\n";

std::string simulated(const std::string& rest) { return use + "dimension = 3\n" + rest; }

class Fixture {
 public:
  std::string body(const std::string& rest = "") const {
    return use + "data = \"" + folder_.file("data.csv", small) + "\"\nresponse = \"label\"\n" +
           rest;
  }
  std::string file(const std::string& name, const std::string& text) const {
    return folder_.file(name, text);
  }

 private:
  support::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("log Phi and its slope are right in both tails and where formulas meet", "[probit]") {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  double worst_log = 0;
  double worst_slope = 0;
  for (int k = -40 * 32; k <= 37 * 32; ++k) {  // above 37 both are subnormal or 0
    const double x = k / 32.0;
    const double unit = x < -4 ? 4 * eps : (4 + x * x) * eps;  // erfc's argument is rounded
    const auto log_error = static_cast<double>(std::abs(probit::log_below(x) / log_below(x) - 1));
    const auto slope_error =
        static_cast<double>(std::abs(probit::log_below_slope(x) / slope(x) - 1));
    worst_log = std::max(worst_log, log_error / unit);
    worst_slope = std::max(worst_slope, slope_error / unit);
  }
  CHECK(worst_log < 1);
  CHECK(worst_slope < 1);
  // Beyond the range of phi.
  CHECK(probit::log_below(-1e8) == Approx(-5e15).epsilon(1e-14));
  CHECK(probit::log_below_slope(-1e8) == Approx(1e8).epsilon(1e-14));
  CHECK(probit::log_below(40) == 0);
  CHECK(probit::log_below_slope(40) < 1e-300);
}

TEST_CASE("the information of a case is even and its derivative odd", "[probit]") {
  for (const double z : {0.0, 0.3, 2.0, 3.99, 4.01, 10.0, 30.0}) {
    const long double up = slope(z);
    const long double down = slope(-z);
    CHECK(probit::Link::slope(z) == Approx(static_cast<double>(up * down)).epsilon(1e-13));
    CHECK(probit::Link::slope(-z) == Approx(probit::Link::slope(z)).epsilon(1e-15));
    const auto bend = static_cast<double>(up * down * (down - up - 2 * z));
    CHECK(probit::Link::bend(z) == Approx(bend).epsilon(1e-12).margin(1e-15));
    CHECK(probit::Link::bend(-z) == Approx(-probit::Link::bend(z)).margin(1e-15));
  }
}

TEST_CASE("weights of padding rows are zero", "[probit]") {
  double z[12];
  std::fill(std::begin(z), std::end(z), std::numeric_limits<double>::infinity());
  probit::Link::Sum sum;
  probit::Link::to_weights<true>(z, 12, sum);
  CHECK(sum.total() == 0);
  CHECK(std::all_of(std::begin(z), std::end(z), [](double w) { return w == 0; }));
}

TEST_CASE("a probit regression satisfies the contract of a model", "[probit][slow]") {
  const std::string rest = GENERATE(
      std::string("cases = 500\ncorrelation = 0.8\n"),
      std::string("cases = 40\nintercept = false\nstandardize = false\nprior_variance = 0.5\n"),
      std::string("cases = 13\n"), std::string("cases = 1\nstandardize = false\n"));
  const auto findings = mixwell::contracts::check_model(*make_model(simulated(rest)));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("U of a probit regression is the sum of its definition", "[probit]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body("standardize = false\nprior_variance = 2\n"));
  for (const double scale : {0.0, 1e-3, 1.0, 20.0}) {
    const VectorXd theta = scale * VectorXd{{0.5, -1, 0.25}};
    long double expected = static_cast<long double>(theta.squaredNorm()) / 4;
    for (Index n = 0; n < 5; ++n)
      expected -= log_below(static_cast<long double>(small_signs[n]) *
                            static_cast<long double>(small_design.row(n).dot(theta)));
    CHECK(evaluate(*model, theta).u[0] == Approx(static_cast<double>(expected)).epsilon(1e-13));
  }
}

TEST_CASE("probit coefficients and test cases are those of the columns", "[probit]") {
  const Fixture fixture;
  const std::string test = fixture.file("test.csv", "label,y,x\nyes,1,2\nno,3,4\n");
  const auto model = make_model(fixture.body("standardize = false\ntest = \"" + test + "\"\n"));
  CHECK(mixwell::coordinate_names(model->parameters()) ==
        std::vector<std::string>{"intercept", "x", "y"});
  const mixwell::Prediction* prediction = model->offers<mixwell::Prediction>();
  REQUIRE(prediction != nullptr);
  MatrixXd out(2, 1);
  prediction->predict(VectorXd{{0.5, 0.25, -0.75}}, out);
  CHECK(out(0, 0) == Approx(support::normal_below(0.25)).epsilon(1e-14));
  CHECK(out(1, 0) == Approx(support::normal_below(-0.75)).epsilon(1e-14));
  CHECK(prediction->error(VectorXd{{0.9, 0.6}}) == 0.5);
}

TEST_CASE("simulated probit cases depend on their seed alone", "[probit]") {
  const auto u = [](const std::string& rest) {
    return evaluate(*make_model(simulated("cases = 50\n" + rest)), VectorXd{{0.3, -1, 0.5, 2}})
        .u[0];
  };
  CHECK(u("") == u("simulate_seed = 1\n"));
  CHECK(u("") != u("simulate_seed = 2\n"));
  CHECK(u("") != u("correlation = 0.5\n"));
}

/// The score of the cases at the documented parameter has the information as its covariance; at
/// another one it is far out.
TEST_CASE("simulated labels follow the model at the documented parameter", "[probit]") {
  constexpr Index n = 20000;
  const auto model = make_model(
      simulated("cases = 20000\ncorrelation = 0.6\nsimulate_seed = 3\nprior_variance = 1e6\n"));
  VectorXd theta(4);
  Stream(3, "probit-regression/parameter").normals({}, theta);
  theta /= 2;
  const auto chi_square = [&](const VectorXd& at) {
    MatrixXd g(4, 1);
    MatrixXd G(16, 1);
    mixwell::Workspace scratch;
    model->offers<mixwell::SumOfTerms>()->evaluate_terms(at, VectorXd::LinSpaced(n, 0, n - 1),
                                                         {nullptr, g, scratch});
    model->offers<mixwell::Metric>()->metric(at, G, scratch);
    return g.col(0).dot(MatrixXd(G.reshaped(4, 4)).llt().solve(g.col(0)));
  };
  CHECK(chi_square(theta) < 34);     // above with probability 7e-7
  CHECK(chi_square(theta) > 0.005);  // below with probability 3e-6
  CHECK(chi_square(-theta) > 1000);
  std::ostringstream text;
  text << "theta = (" << theta[0] << ", " << theta[1] << ", " << theta[2] << ", " << theta[3]
       << ")";
  REQUIRE(model->remarks().size() == 1);
  CHECK(contains(model->remarks()[0], text.str()));
}

TEST_CASE("bad keys of a probit regression are refused with their rule", "[probit]") {
  const Fixture fixture;
  CHECK(contains(refusal(use), "cases"));
  CHECK(contains(refusal(use + "cases = 3\n"), "dimension"));
  for (const char* key :
       {"response = \"label\"", "positive = \"1\"", "inputs = [\"x\"]", "format = \"libsvm\""}) {
    CHECK(contains(refusal(simulated("cases = 9\n" + std::string(key) + "\n")), "needs data"));
  }
  CHECK(contains(refusal(fixture.body("cases = 3\n")), "must be left out if `data` is given"));
  CHECK(contains(refusal(fixture.body("dimension = 3\n")), "must be left out if `data` is given"));
  CHECK(
      contains(refusal(fixture.body("positive = \"maybe\"\n")), "(labels found: \"no\", \"yes\")"));
  CHECK(contains(refusal(fixture.body("prior_variance = 0\n")), "must be above 0"));
}
