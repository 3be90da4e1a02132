// Tests model `ica`: potential, symmetries, singular matrices, simulated mixtures, errors.
// SPDX-License-Identifier: Apache-2.0
#include "../../plugins/ica/inverse.hpp"
#include "../../plugins/ica/mixture.hpp"
#include "../../plugins/ica/sources.hpp"
#include "guest_models.hpp"
#include "unit/support.hpp"

#include <mixwell/contracts/model.hpp>

#include <Eigen/LU>
#include <Eigen/SVD>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using guests::make_model;
using guests::refusal;
using support::contains;
using support::evaluate;
namespace ica = mixwell::ica;

constexpr double inf = std::numeric_limits<double>::infinity();
const std::string use = "use = \"ica\"\n";

/// theta of an unmixing matrix: its rows one after another.
VectorXd flat(const MatrixXd& W) { return W.transpose().reshaped(); }

const std::string small = "a,b\n1,2\n-3,0.5\n0.25,-4\n";
const MatrixXd cases{{1, 2}, {-3, 0.5}, {0.25, -4}};

/// U computed from its definition.
double direct(const MatrixXd& x, const MatrixXd& W, double prior_variance) {
  double u = W.squaredNorm() / (2 * prior_variance);
  for (Index n = 0; n < x.rows(); ++n) {
    u -= std::log(std::abs(W.determinant()));
    for (const double y : (W * x.row(n).transpose()).eval())
      u += std::log(4 * std::pow(std::cosh(y / 2), 2));
  }
  return u;
}

class Fixture {
 public:
  std::string body(const std::string& text, const std::string& rest = "") const {
    return use + "data = \"" + folder_.file("data.csv", text) + "\"\n" + rest;
  }

 private:
  support::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("values and slopes of logistic sources are right", "[ica]") {
  mixwell::Workspace scratch;
  const ica::Sources unit(MatrixXd::Ones(1, 1));
  const MatrixXd first = MatrixXd::Zero(1, 1);
  for (const double z : {0.0, 1e-9, 0.3, -0.3, 4.0, -40.0, 700.0, -1e9}) {
    MatrixXd slope = MatrixXd::Zero(1, 1);
    const long double size = std::abs(static_cast<long double>(z));
    const auto value = static_cast<double>(size + 2 * std::log1p(std::exp(-size)));
    CHECK(unit.add(MatrixXd::Constant(1, 1, z), slope, true, scratch) ==
          Approx(value).epsilon(1e-15));
    CHECK(slope(0, 0) == Approx(std::tanh(z / 2)).epsilon(1e-15).margin(1e-16));
    CHECK(unit.add(MatrixXd::Constant(1, 1, z), slope, false, scratch) == 0);
    CHECK(unit.add_some(first, MatrixXd::Constant(1, 1, z), slope, true, scratch) ==
          Approx(value).epsilon(1e-15));
    CHECK(slope(0, 0) == Approx(3 * std::tanh(z / 2)).epsilon(1e-15).margin(3e-16));
  }
}

TEST_CASE("a small matrix is inverted correctly, with its determinant", "[ica]") {
  mixwell::Workspace scratch;
  const auto inverted = [&scratch](MatrixXd& A) {
    return ica::invert({A.data(), A.rows(), A.cols()}, scratch);
  };
  for (const Index c : {1, 2, 5, 17}) {
    MatrixXd A(c, c);
    mixwell::Stream(5, "test/inverse").normals({}, A);
    MatrixXd inverse = A;
    CHECK(inverted(inverse) == Approx(std::log(std::abs(A.determinant()))).epsilon(1e-12));
    CHECK((A * inverse - MatrixXd::Identity(c, c)).norm() < 1e-10 * inverse.norm());
  }
  MatrixXd swapped{{0, 1}, {2, 0}};
  CHECK(inverted(swapped) == Approx(std::log(2)));
  CHECK(swapped.isApprox(MatrixXd{{0, 0.5}, {1, 0}}));
  MatrixXd singular{{1, 2}, {2, 4}};
  CHECK(inverted(singular) == -inf);
  CHECK(singular.isZero(0));
}

TEST_CASE("independent component analysis satisfies the contract of a model", "[ica][slow]") {
  const std::string rest =
      GENERATE(std::string("cases = 500\n"), std::string("channels = 1\ncases = 40\n"),
               std::string("channels = 2\ncases = 13\nprior_variance = 0.5\n"),
               std::string("channels = 3\ncases = 1\n"),
               std::string("channels = 3\ncases = 40000\ncondition = 50\n"));
  const auto findings = mixwell::contracts::check_model(*make_model(use + rest));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("U of independent component analysis agrees with its definition", "[ica]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(small, "prior_variance = 2\n"));
  const MatrixXd W{{0.5, -1}, {0.25, 3}};
  CHECK(evaluate(*model, flat(W)).u[0] == Approx(direct(cases, W, 2)).epsilon(1e-14));
  const auto first = make_model(fixture.body(small, "inputs = [\"b\"]\n"));
  const MatrixXd w{{-0.75}};
  CHECK(evaluate(*first, flat(w)).u[0] == Approx(direct(cases.col(1), w, 100)).epsilon(1e-14));
  CHECK(mixwell::coordinate_names(model->parameters()) ==
        std::vector<std::string>{"W[0, 0]", "W[0, 1]", "W[1, 0]", "W[1, 1]"});
}

TEST_CASE("standardised channels have mean 0 and variance 1", "[ica]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(small, "standardize = true\n"));
  MatrixXd x = cases.rowwise() - cases.colwise().mean();
  for (Index i = 0; i < 2; ++i) x.col(i) /= std::sqrt(x.col(i).squaredNorm() / 2);
  const MatrixXd W{{0.5, -1}, {0.25, 3}};
  CHECK(evaluate(*model, flat(W)).u[0] == Approx(direct(x, W, 100)).epsilon(1e-14));
}

TEST_CASE("the order and the signs of the sources do not matter", "[ica]") {
  const auto model = make_model(use + "channels = 3\ncases = 200\n");
  MatrixXd W(3, 3);
  mixwell::Stream(1, "test/ica").normals({}, W);
  MatrixXd swapped = W;
  swapped.row(0).swap(swapped.row(2));
  MatrixXd flipped = W;
  flipped.row(1) *= -1;
  const double u = evaluate(*model, flat(W)).u[0];
  CHECK(evaluate(*model, flat(swapped)).u[0] == Approx(u).epsilon(1e-13));
  CHECK(evaluate(*model, flat(flipped)).u[0] == Approx(u).epsilon(1e-13));
  MatrixXd column = W;  // a channel with the opposite sign is another model
  column.col(1) *= -1;
  CHECK(std::abs(evaluate(*model, flat(column)).u[0] - u) > 1e-3);
}

TEST_CASE("U is infinite at singular matrices and is never NaN", "[ica]") {
  const auto model = make_model(use + "channels = 3\ncases = 30\n");
  MatrixXd twice(3, 3);
  twice << 1, 2, 3, 0, 1, 1, 2, 4, 6;
  MatrixXd theta(9, 3);
  theta << VectorXd::Zero(9), flat(twice), flat(MatrixXd::Identity(3, 3));
  const auto at = evaluate(*model, theta);
  CHECK(at.u[0] == inf);
  CHECK(at.u[1] == inf);
  CHECK(std::isfinite(at.u[2]));
  CHECK(at.g.allFinite());
  MatrixXd g(9, 2);
  mixwell::Workspace scratch;
  model->offers<mixwell::SumOfTerms>()->gradients_of_terms(theta.col(1), VectorXd{{0, 5}}, g,
                                                           scratch);
  CHECK(g.allFinite());
}

/// The gradient of the terms has mean zero over data sets at the matrix that made the data, but not
/// at another scale. With a density other than that of the sources, it would have mean zero at
/// another scale.
TEST_CASE("the score of simulated mixtures has mean zero at the true matrix", "[ica]") {
  constexpr int sets = 300;
  constexpr Index n = 50;
  ica::Simulation simulation{.channels = 2, .cases = n};
  MatrixXd true_scores(4, sets);
  RowVectorXd wrong_scale(sets);
  for (int k = 0; k < sets; ++k) {
    simulation.seed = 1000 + k;
    const auto model = make_model(use + "channels = 2\ncases = 50\nsimulate_seed = " +
                                  std::to_string(simulation.seed) + "\n");
    const MatrixXd W = ica::simulated_unmixing(simulation);
    const auto score = [&](const MatrixXd& at) {
      MatrixXd g(4, 1);
      mixwell::Workspace scratch;
      model->offers<mixwell::SumOfTerms>()->evaluate_terms(
          flat(at), VectorXd::LinSpaced(n, 0, n - 1), {nullptr, g, scratch});
      return MatrixXd(MatrixXd(g.reshaped(2, 2)).transpose() * W.transpose());  // per unit of W
    };
    true_scores.col(k) = score(W).reshaped();
    wrong_scale[k] = score(1.1 * W).trace();
  }
  for (Index i = 0; i < 4; ++i) CHECK(std::abs(support::z_score(true_scores.row(i), 0)) < 4.5);
  CHECK(support::z_score(wrong_scale, 0) > 10);
}

TEST_CASE("simulated mixtures have the requested condition number", "[ica]") {
  const ica::Simulation simulation{.channels = 4, .cases = 1, .condition = 25};
  const MatrixXd A = ica::simulated_mixing(simulation);
  const VectorXd D = A.jacobiSvd().singularValues();
  CHECK(D[0] == Approx(5).epsilon(1e-12));
  CHECK(D[3] == Approx(0.2).epsilon(1e-12));
  CHECK((ica::simulated_unmixing(simulation) * A).isIdentity(1e-12));
  const auto model = make_model(use + "channels = 2\ncases = 9\n");
  REQUIRE(model->remarks().size() == 1);
  CHECK(contains(model->remarks()[0], "unmixing matrix W = (("));
}

TEST_CASE("cases with a missing value are refused, or left out and counted", "[ica]") {
  const Fixture fixture;
  const std::string text = "a,b,c\n1,2,\n,3,\n2,5,\n4,1,\n";
  const std::string inputs = "inputs = [\"a\", \"b\"]\n";
  CHECK(contains(
      refusal(fixture.body(text, inputs)),
      ":3: row 2, column \"a\": \"\": a value is missing. Values are missing in 1 of 4 rows. Set "
      "missing = \"drop\" to leave these rows out, and `inputs` chooses the columns"));
  const auto model = make_model(fixture.body(text, inputs + "missing = \"drop\"\n"));
  CHECK(model->offers<mixwell::SumOfTerms>()->terms() == 3);
  REQUIRE(!model->remarks().empty());
  CHECK(contains(model->remarks().front(), "1 row of"));
}

TEST_CASE("the error for channels of the same name gives their positions", "[ica]") {
  const Fixture fixture;
  CHECK(contains(refusal(fixture.body("a,b,a\n1,2,3\n2,1,0\n")),
                 ":1: columns 1 and 3 have the same name \"a\""));
}

TEST_CASE("bad keys of independent component analysis are refused", "[ica]") {
  const Fixture fixture;
  CHECK(contains(refusal(use), "must be at least 1 if `data` is not given"));
  CHECK(contains(refusal(use + "cases = 3\ninputs = [\"a\"]\n"),
                 "works only with `data`, which is not given"));
  CHECK(contains(refusal(use + "cases = 3\nstandardize = true\n"),
                 "works only with `data`, which is not given"));
  CHECK(contains(refusal(fixture.body(small, "cases = 3\n")), "works only with simulated cases"));
  CHECK(contains(refusal(fixture.body(small, "inputs = [\"a\", \"a\"]\n")), "names \"a\" twice"));
  CHECK(contains(refusal(fixture.body(small, "inputs = [\"c\"]\n")), "no column \"c\""));
  CHECK(contains(refusal(fixture.body("a,b\n1,2\n1,3\n")), "column \"a\" is constant"));
  CHECK(contains(refusal(fixture.body(small, "prior_variance = 0\n")), "must be above 0"));
}
