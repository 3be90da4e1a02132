// The model `linear-gaussian`: closed form, simulated cases, data and refusals.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <cmath>

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

const std::string use = "use = \"linear-gaussian\"\n";

/// The table below as rows a_n, with x_n.
const std::string table = "x,a,b\n1,2,-1\n-3,0.5,4\n2,1,1\n0.25,-2,3\n";
const MatrixXd rows{{2, -1}, {0.5, 4}, {1, 1}, {-2, 3}};
const VectorXd responses{{1, -3, 2, 0.25}};

/// Sigma and mu at noise variance 2 and prior variance 3, from the definition.
MatrixXd covariance() {
  return (rows.transpose() * rows / 2 + MatrixXd::Identity(2, 2) / 3).inverse();
}
VectorXd mean() { return covariance() * rows.transpose() * responses / 2; }

class Fixture {
 public:
  std::string body(const std::string& rest = "") const {
    return use + "data = \"" + folder_.file("data.csv", table) + "\"\n" + rest;
  }
  std::shared_ptr<const mixwell::Model> model() const {
    return make_model(body("response = \"x\"\nnoise_variance = 2\nprior_variance = 3\n"));
  }

 private:
  support::TemporaryFolder folder_;
};

MatrixXd metric(const mixwell::Model& model) {
  const Index d = model.dimension();
  MatrixXd G(d * d, 1);
  mixwell::Workspace scratch;
  model.offers<mixwell::Metric>()->metric(VectorXd::Zero(d), G, scratch);
  return G.reshaped(d, d);
}

/// Gradients of the first n terms at 0, -a_n x_n / noise_variance.
MatrixXd first_gradients(const mixwell::Model& model, Index n) {
  MatrixXd out(model.dimension(), n);
  mixwell::Workspace scratch;
  model.offers<mixwell::SumOfTerms>()->gradients_of_terms(
      VectorXd::Zero(model.dimension()), VectorXd::LinSpaced(n, 0, static_cast<double>(n - 1)), out,
      scratch);
  return out;
}

/// x, a, town, offset o, weight w: the table below as numbers.
struct Case {
  double x, a;
  const char* town;
  double o, w;
};
const std::vector<Case> cases = {{1, 2, "b", 0.5, 2},    {-3, 0.5, "a", -1, 1},
                                 {2, 1, "c", 0, 0.5},    {0.25, -2, "b", 3, 3},
                                 {4, -0.5, "a", 1, 1.5}, {-1, 3, "c", -2, 1}};

/// The cases with columns that are no plain numbers, by whatever keys.
class Columns {
 public:
  explicit Columns(const std::string& keys, const std::string& more = "") {
    std::string text = "x,a,town,o,w\n";
    for (const Case& one : cases) {
      std::ostringstream row;
      row << one.x << ',' << one.a << ',' << one.town << ',' << one.o << ',' << one.w << '\n';
      text += row.str();
    }
    body_ = use + "data = \"" + folder_.file("columns.csv", text + more) +
            "\"\nresponse = \"x\"\nnoise_variance = 2\nprior_variance = 3\n" + keys;
  }
  const std::string& body() const { return body_; }
  std::shared_ptr<const mixwell::Model> model() const { return make_model(body_); }

 private:
  support::TemporaryFolder folder_;
  std::string body_;
};

const std::string every_column =
    "inputs = [\"a\"]\nfactors = [\"town\"]\noffset = \"o\"\nweights = \"w\"\nintercept = true\n";

/// Rows of the intercept, a, town b, town c.
MatrixXd design() {
  MatrixXd all(6, 4);
  for (Index n = 0; n < 6; ++n) {
    const Case& one = cases[static_cast<std::size_t>(n)];
    all.row(n) << 1, one.a, one.town == std::string("b"), one.town == std::string("c");
  }
  return all;
}
VectorXd numbers_of(double Case::*member) {
  VectorXd all(6);
  for (Index n = 0; n < 6; ++n) all[n] = cases[static_cast<std::size_t>(n)].*member;
  return all;
}

/// Mean and covariance of the posterior with these weights, from the definition.
struct Moments {
  explicit Moments(const VectorXd& weights) {
    const MatrixXd weighted = design().transpose() * weights.asDiagonal();
    covariance = (weighted * design() / 2 + MatrixXd::Identity(4, 4) / 3).inverse();
    mean = covariance * weighted * (numbers_of(&Case::x) - numbers_of(&Case::o)) / 2;
  }
  /// The largest |z| of means, squares and products of whitened draws.
  double largest_z(const MatrixXd& draws) const {
    const MatrixXd centred = draws.colwise() - mean;
    const MatrixXd white = covariance.llt().matrixL().solve(centred);
    double largest = 0;
    for (Index i = 0; i < white.rows(); ++i) {
      const Eigen::ArrayXd z = white.row(i).transpose();
      largest = std::max(
          {largest, std::abs(support::z_score(z, 0)), std::abs(support::z_score(z.square(), 1))});
      for (Index j = 0; j < i; ++j) {
        const Eigen::ArrayXd product = z * white.row(j).transpose().array();
        largest = std::max(largest, std::abs(support::z_score(product, 0)));
      }
    }
    return largest;
  }
  MatrixXd covariance;
  VectorXd mean;
};

std::string simulated(const std::string& rest) { return use + "dimension = 3\n" + rest; }

}  // namespace

TEST_CASE("a linear Gaussian model satisfies the contract of a model", "[linear-gaussian][slow]") {
  const std::string body =
      GENERATE(std::string("cases = 1\ndimension = 1\n"),
               std::string("cases = 200\ndimension = 8\ncorrelation = -0.95\nprior_variance = 9\n"),
               std::string("cases = 3\ndimension = 5\nnoise_variance = 0.1\n"));
  const auto findings = mixwell::contracts::check_model(*make_model(use + body));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("U of a linear Gaussian model is the sum of its definition", "[linear-gaussian]") {
  const Fixture fixture;
  for (const double scale : {0.0, 1.0, 50.0}) {
    const VectorXd theta = scale * VectorXd{{0.5, -1.25}};
    const double expected = (responses - rows * theta).squaredNorm() / 4 + theta.squaredNorm() / 6;
    CHECK(evaluate(*fixture.model(), theta).u[0] == Approx(expected).epsilon(1e-14));
  }
}

TEST_CASE("the gradient vanishes at the posterior mean and the metric inverts the covariance",
          "[linear-gaussian]") {
  const Fixture fixture;
  const auto model = fixture.model();
  CHECK(evaluate(*model, mean()).g.norm() < 1e-14);
  CHECK((metric(*model) * covariance()).isIdentity(1e-14));
  const MatrixXd shifted = MatrixXd::Identity(2, 2).colwise() + mean();
  CHECK((evaluate(*model, shifted).g * covariance()).isIdentity(1e-14));
}

/// Whitened by another factor of the covariance than the model's; each |z| > 4.5 has probability
/// 7e-6.
TEST_CASE("exact draws have the posterior's mean and covariance", "[linear-gaussian]") {
  const Fixture fixture;
  const MatrixXd centred = support::exact_draws(*fixture.model(), 40000).colwise() - mean();
  const MatrixXd white = covariance().llt().matrixL().solve(centred);
  for (Index i = 0; i < 2; ++i) {
    CHECK(std::abs(support::z_score(white.row(i).transpose().array(), 0)) < 4.5);
    CHECK(std::abs(support::z_score(white.row(i).transpose().array().square(), 1)) < 4.5);
  }
  CHECK(std::abs(support::z_score((white.row(0).array() * white.row(1).array()).transpose(), 0)) <
        4.5);
}

TEST_CASE("offsets, weights and factors enter a linear Gaussian U as they are defined",
          "[linear-gaussian]") {
  const VectorXd theta{{0.4, -0.6, 0.9, -1.3}};
  const VectorXd off = numbers_of(&Case::x) - design() * theta;
  const VectorXd o = numbers_of(&Case::o);
  const VectorXd w = numbers_of(&Case::w);
  const std::string base = "inputs = [\"a\"]\nfactors = [\"town\"]\nintercept = true\n";
  const auto u = [&](const std::string& keys) {
    return evaluate(*Columns(keys).model(), theta).u[0] - theta.squaredNorm() / 6;
  };
  CHECK(u(base) == Approx(off.squaredNorm() / 4).epsilon(1e-13));
  CHECK(u(base + "offset = \"o\"\n") == Approx((off - o).squaredNorm() / 4).epsilon(1e-13));
  CHECK(u(base + "weights = \"w\"\n") == Approx(w.dot(off.cwiseAbs2()) / 4).epsilon(1e-13));
  CHECK(u(every_column) == Approx(w.dot((off - o).cwiseAbs2()) / 4).epsilon(1e-13));
}

TEST_CASE("a linear Gaussian model with all columns satisfies the contract of a model",
          "[linear-gaussian][slow]") {
  const auto findings = mixwell::contracts::check_model(*Columns(every_column).model());
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

/// 14 statistics: one |z| > 5 has probability 8e-6. Draws that forget weights are far out.
TEST_CASE("exact draws know offsets, weights and factors", "[linear-gaussian]") {
  const Columns columns(every_column);
  const auto model = columns.model();
  const Moments right(numbers_of(&Case::w));
  CHECK(evaluate(*model, right.mean).g.norm() < 1e-13);
  CHECK((metric(*model) * right.covariance).isIdentity(1e-13));
  const MatrixXd draws = support::exact_draws(*model, 40000);
  CHECK(right.largest_z(draws) < 5);
  CHECK(Moments(VectorXd::Ones(6)).largest_z(draws) > 10);
}

TEST_CASE("a linear Gaussian model's factor is an array with its levels as labels",
          "[linear-gaussian]") {
  const auto model = Columns(every_column).model();
  const auto parameters = model->parameters();
  REQUIRE(parameters.size() == 3);
  CHECK(parameters[0].name == "intercept");
  CHECK(parameters[2].name == "town");
  CHECK(parameters[2].dims == std::vector<std::string>{"town_level"});
  CHECK(model->labels() == std::vector<mixwell::Labels>{{"town_level", {"b", "c"}}});
  CHECK(model->observed_data().front().values[1] == -3);
  REQUIRE(model->constant_data().size() == 2);
  CHECK(model->constant_data()[0].values[3] == 3);
  CHECK(model->constant_data()[1].values[3] == 3);
}

/// 30 z-scores: one beyond 5 has probability 2e-5.
TEST_CASE("cases are weighted in their log likelihoods and drawn about mean and offset",
          "[linear-gaussian]") {
  const auto model = Columns(every_column).model();
  const VectorXd theta{{0.4, -0.6, 0.9, -1.3}};
  const MatrixXd at = theta.replicate(1, 20000);
  MatrixXd out(12, at.cols());
  model->offers<mixwell::Generated>()->generate(at, Stream(3, "test/generated"), {}, out);
  const VectorXd mean = design() * theta + numbers_of(&Case::o);
  for (Index n = 0; n < 6; ++n) {
    const Case& one = cases[static_cast<std::size_t>(n)];
    const double square = (one.x - mean[n]) * (one.x - mean[n]);
    CHECK(out(n, 0) == Approx(-one.w * (square / 4 + 0.5 * std::log(4 * M_PI))).epsilon(1e-12));
    const Eigen::ArrayXd off = out.row(6 + n).transpose().array() - mean[n];
    CHECK(std::abs(support::z_score(off, 0)) < 5);
    CHECK(std::abs(support::z_score(off.square(), 2)) < 5);
    CHECK(std::abs(support::z_score(off.cube(), 0)) < 5);
    CHECK(std::abs(support::z_score(off * out.row(6 + (n + 1) % 6).transpose().array(), 0)) < 5);
    CHECK(std::abs(support::z_score(off.square(), 2 / one.w)) > (one.w == 1 ? 0 : 5));
  }
}

TEST_CASE("a weight of 2 is a case that stands there twice", "[linear-gaussian]") {
  const support::TemporaryFolder folder;
  const auto model_of = [&](const std::string& name, const std::string& text) {
    return make_model(use + "data = \"" + folder.file(name, text) +
                      "\"\nresponse = \"x\"\ninputs = [\"a\"]\n" +
                      (name == "once.csv" ? "weights = \"w\"\n" : ""));
  };
  const auto once = model_of("once.csv", "x,a,w\n1,2,2\n-3,1,1\n");
  const auto twice = model_of("twice.csv", "x,a\n1,2\n1,2\n-3,1\n");
  const VectorXd theta{{0.7}};
  CHECK(evaluate(*once, theta).u[0] == Approx(evaluate(*twice, theta).u[0]).epsilon(1e-14));
  CHECK((support::exact_draws(*once, 10) - support::exact_draws(*twice, 10)).norm() < 1e-13);
}

TEST_CASE("bad columns of a linear Gaussian model are refused with place and cure",
          "[linear-gaussian]") {
  CHECK(contains(refusal(Columns(every_column, "1,2,a,0,0\n").body()),
                 "columns.csv:8: row 7, column \"w\": \"0\" must be above 0"));
  CHECK(contains(refusal(Columns(every_column, "1,2,NA,0,1\n").body()),
                 "columns.csv:8: row 7, column \"town\": \"NA\": a value is missing"));
  CHECK(contains(refusal(Columns("").body()), "column \"town\": \"b\" is not a finite number"));
  CHECK(contains(refusal(Columns("factors = [\"town\"]\noffset = \"town\"\n").body()),
                 "which `offset` already names"));
  CHECK(contains(refusal(simulated("cases = 3\nweights = \"w\"\n")), "needs data"));
  CHECK(contains(refusal(simulated("cases = 3\nintercept = true\n")), "needs data"));
}

TEST_CASE("coefficients have the names of their columns", "[linear-gaussian]") {
  const Fixture fixture;
  CHECK(mixwell::coordinate_names(fixture.model()->parameters()) ==
        std::vector<std::string>{"a", "b"});
  const auto one = make_model(fixture.body("response = \"x\"\ninputs = [\"b\"]\n"));
  CHECK(mixwell::coordinate_names(one->parameters()) == std::vector<std::string>{"b"});
}

TEST_CASE("simulated cases depend on their seed and number alone", "[linear-gaussian]") {
  const auto gradients = [](const std::string& rest) {
    return first_gradients(*make_model(simulated(rest)), 10);
  };
  const MatrixXd ten = gradients("cases = 10\n");
  CHECK(ten == gradients("cases = 10\nsimulate_seed = 1\n"));
  CHECK(ten == gradients("cases = 25\n"));
  CHECK(ten != gradients("cases = 10\nsimulate_seed = 2\n"));
  CHECK(ten != gradients("cases = 10\ncorrelation = 0.1\n"));
}

/// Entries of the mean of a a' have variance (1 + r_ij^2) / N: each |z| > 5 has probability 6e-7.
TEST_CASE("simulated inputs are correlated as documented", "[linear-gaussian]") {
  constexpr double n = 20000;
  for (const double r : {0.0, 0.8, -0.5}) {
    const auto model =
        make_model(simulated("cases = 20000\ncorrelation = " + std::to_string(r) + "\n"));
    const MatrixXd second = (metric(*model) - MatrixXd::Identity(3, 3)) * 10 / n;
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        const double expected = i == j ? 1 : std::pow(r, std::abs(i - j));
        const double sd = std::sqrt((1 + expected * expected) / n);
        CHECK(std::abs(second(i, j) - expected) < 5 * sd);
      }
    }
  }
}

/// At the parameter of the documented stream 2 u_n are squares of independent N(0, 1), and the
/// score has the covariance A'A / noise_variance.
TEST_CASE("simulated responses follow the model at the documented parameter", "[linear-gaussian]") {
  constexpr Index n = 20000;
  const auto model = make_model(
      simulated("cases = 20000\ncorrelation = 0.7\nsimulate_seed = 5\nprior_variance = 4\n"
                "noise_variance = 0.5\n"));
  VectorXd theta(3);
  Stream(5, "linear-gaussian/parameter").normals({}, theta);
  theta *= 2;
  RowVectorXd u(1);
  MatrixXd g(3, 1);
  mixwell::Workspace scratch;
  model->offers<mixwell::SumOfTerms>()->evaluate_terms(theta, VectorXd::LinSpaced(n, 0, n - 1),
                                                       {u.data(), g, scratch});
  CHECK(std::abs(2 * u[0] - n) < 5 * std::sqrt(2.0 * n));  // |z| > 5: 6e-7
  const MatrixXd information = metric(*model) - MatrixXd::Identity(3, 3) / 4;
  const double squares = g.col(0).dot(information.llt().solve(g.col(0)));
  CHECK(squares < 30);     // chi-square of 3: above 30 with probability 1.4e-6
  CHECK(squares > 0.001);  // below with probability 8e-6
}

TEST_CASE("remarks tell the parameter and the condition number", "[linear-gaussian]") {
  const Fixture fixture;
  const std::vector<std::string> read = fixture.model()->remarks();
  REQUIRE(read.size() == 1);
  const Eigen::JacobiSVD<MatrixXd> svd(covariance());
  std::ostringstream condition;
  condition << svd.singularValues()[0] / svd.singularValues()[1];
  CHECK(contains(read[0], "condition number " + condition.str() + ":"));
  const std::vector<std::string> made = make_model(simulated("cases = 5\n"))->remarks();
  REQUIRE(made.size() == 2);
  VectorXd theta(3);
  Stream(1, "linear-gaussian/parameter").normals({}, theta);
  std::ostringstream text;
  text << "theta = (" << theta[0] << ", " << theta[1] << ", " << theta[2] << ")";
  CHECK(contains(made[0], text.str()));
}

TEST_CASE("bad keys of a linear Gaussian model are refused with their rule", "[linear-gaussian]") {
  const Fixture fixture;
  CHECK(contains(refusal(use), "cases"));
  CHECK(contains(refusal(use + "cases = 3\n"), "dimension"));
  CHECK(contains(refusal(simulated("cases = -1\n")), "cases"));
  CHECK(contains(refusal(use + "cases = 100000\ndimension = 1000000000\n"), "at most 2^30"));
  CHECK(contains(refusal(simulated("cases = 3\ncorrelation = 1\n")), "must be below 1"));
  CHECK(contains(refusal(simulated("cases = 3\nnoise_variance = 0\n")), "must be above 0"));
  CHECK(contains(refusal(simulated("cases = 3\nresponse = \"x\"\n")), "needs data"));
  CHECK(contains(refusal(simulated("cases = 3\ninputs = [\"x\"]\n")), "needs data"));
  CHECK(contains(refusal(fixture.body()), "response"));
  const std::string with = "response = \"x\"\n";
  CHECK(
      contains(refusal(fixture.body(with + "cases = 3\n")), "must be left out if `data` is given"));
  CHECK(contains(refusal(fixture.body(with + "correlation = 0.5\n")),
                 "must be left out if `data` is given"));
  CHECK(contains(refusal(fixture.body("response = \"y\"\n")), "\"y\""));
  CHECK(contains(refusal(fixture.body(with + "inputs = [\"x\"]\n")), "must not name the response"));
  CHECK(contains(refusal(fixture.body(with + "inputs = [\"a\", \"a\"]\n")), "twice"));
  CHECK(contains(refusal(fixture.body(with + "inputs = [\"c\"]\n")), "\"c\""));
}
