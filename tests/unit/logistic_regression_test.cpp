// The model `logistic-regression`: potential, data handling, names, predictions and refusals.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>
#include <mixwell/data/data.hpp>

#include <Eigen/LU>

#include <cmath>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using support::contains;
using support::evaluate;

const std::string small = "x,y,label\n1,2,no\n2,1,yes\n4,3,yes\n5,8,no\n7,1,yes\n";

class Fixture {
 public:
  std::string body(const std::string& csv, const std::string& rest = "") const {
    return "use = \"logistic-regression\"\ndata = \"" + folder_.file("data.csv", csv) +
           "\"\nresponse = \"label\"\n" + rest;
  }
  std::shared_ptr<const mixwell::Model> model(const std::string& csv,
                                              const std::string& rest = "") const {
    return support::make_model(body(csv, rest));
  }
  std::string refusal(const std::string& csv, const std::string& rest = "") const {
    return support::refusal(body(csv, rest));
  }
  std::string file(const std::string& name, const std::string& text) const {
    return folder_.file(name, text);
  }

 private:
  support::TemporaryFolder folder_;
};

const std::string raw = "standardize = false\n";

std::vector<std::string> names(const mixwell::Model& model) {
  return mixwell::coordinate_names(model.parameters());
}

// The definition, term by term, in extended precision.
double potential(const MatrixXd& x, const std::vector<int>& sign, const VectorXd& theta, double v) {
  long double u = static_cast<long double>(theta.squaredNorm()) / (2 * v);
  for (Index n = 0; n < x.rows(); ++n) {
    const long double z = sign[static_cast<std::size_t>(n)] * x.row(n).dot(theta);
    u += z > 0 ? std::log1p(std::exp(-z)) : -z + std::log1p(std::exp(z));
  }
  return static_cast<double>(u);
}

MatrixXd small_design() { return MatrixXd{{1, 1, 2}, {1, 2, 1}, {1, 4, 3}, {1, 5, 8}, {1, 7, 1}}; }
const std::vector<int> small_signs = {-1, 1, 1, -1, 1};

std::string large_table(Index rows) {
  MatrixXd z(4, rows);
  mixwell::Stream(9, "table").normals({}, z);
  std::string text = "a,b,c,label\n";
  for (Index n = 0; n < rows; ++n)
    text += std::to_string(z(0, n)) + "," + std::to_string(100 + 7 * z(1, n)) + "," +
            std::to_string(z(2, n)) + "," + (z(0, n) + z(3, n) > 0 ? "1" : "0") + "\n";
  return text;
}

// Newton's iterations with the Hessian from differences of the gradient.
VectorXd minimum(const mixwell::Model& model) {
  const Index d = model.dimension();
  VectorXd theta = VectorXd::Zero(d);
  for (int step = 0; step < 60; ++step) {
    const VectorXd g = evaluate(model, theta).g;
    const MatrixXd moved = (MatrixXd::Identity(d, d) * 1e-5).colwise() + theta;
    const MatrixXd h = (evaluate(model, moved).g.colwise() - g) / 1e-5;
    theta -= h.lu().solve(g);
  }
  return theta;
}

const std::string launches =
    std::string(MIXWELL_SOURCE_DIR) + "/examples/challenger/challenger.csv";

std::string challenger(const std::string& rest) {
  return "use = \"logistic-regression\"\ndata = \"" + launches +
         "\"\nresponse = \"distress\"\n"
         "inputs = [\"temperature\"]\n" +
         rest;
}

}  // namespace

TEST_CASE("a logistic regression satisfies the contract of a model",
          "[logistic-regression][slow]") {
  const Fixture fixture;
  const std::string large = large_table(500);
  const std::string rest =
      GENERATE(std::string(""), std::string("powers = 3\npredict.here = { a = 1, b = 101, c = 0 }"),
               std::string("intercept = false\nstandardize = false\nprior_variance = 0.5"));
  const auto findings = mixwell::contracts::check_model(*fixture.model(large, rest));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("U is the sum of the terms of its definition", "[logistic-regression]") {
  const Fixture fixture;
  const auto model = fixture.model(small, raw + "prior_variance = 2\npositive = \"yes\"");
  for (const double scale : {0.0, 1e-3, 1.0, 30.0, 300.0}) {
    const VectorXd theta = scale * VectorXd{{0.5, -1, 0.25}};
    const double expected = potential(small_design(), small_signs, theta, 2);
    CHECK(evaluate(*model, theta).u[0] == Approx(expected).epsilon(1e-13));
  }
}

TEST_CASE("the gradient of a confident, wrong model is the sum of its rows",
          "[logistic-regression]") {
  const Fixture fixture;
  const auto model = fixture.model(small, raw + "prior_variance = 1e6");
  const VectorXd theta = VectorXd{{-2000, 0, 0}};  // puts every case on "no"
  const VectorXd expected = -small_design().row(1) - small_design().row(2) - small_design().row(4);
  CHECK(evaluate(*model, theta).g.isApprox(expected + theta / 1e6, 1e-14));
  CHECK(evaluate(*model, theta).u[0] == Approx(6000 + 2.0).epsilon(1e-14));
}

TEST_CASE("bands of rows of any number give the same potential", "[logistic-regression]") {
  const Fixture fixture;
  const std::string large = large_table(500);
  const std::size_t header = large.find('\n') + 1;
  for (const int rows : {127, 128, 129, 256, 400}) {
    std::size_t end = header;
    for (int n = 0; n < rows; ++n) end = large.find('\n', end) + 1;
    const auto first = fixture.model(large.substr(0, end), raw);
    const auto second = fixture.model(large.substr(0, header) + large.substr(end), raw);
    const auto whole = fixture.model(large, raw);
    const VectorXd theta = VectorXd{{0.3, 1.5, -0.02, 0.7}};
    const double prior = theta.squaredNorm() / 200;
    CHECK(evaluate(*first, theta).u[0] + evaluate(*second, theta).u[0] - prior ==
          Approx(evaluate(*whole, theta).u[0]).epsilon(1e-13));
  }
}

TEST_CASE("the launches' coefficients are the published ones", "[logistic-regression]") {
  const VectorXd theta =
      minimum(*support::make_model(challenger("standardize = false\nprior_variance = 1e12")));
  CHECK(theta[0] == Approx(15.0429).epsilon(1e-5));
  CHECK(theta[1] == Approx(-0.2322).epsilon(2e-4));
  const VectorXd scaled = minimum(*support::make_model(challenger("prior_variance = 1e12")));
  const Eigen::ArrayXd temperature = mixwell::CsvTable(launches).numbers("temperature").array();
  const double sd = std::sqrt((temperature - temperature.mean()).square().sum() / 22);
  CHECK(scaled[1] / sd == Approx(theta[1]).epsilon(1e-7));
}

TEST_CASE("inputs are standardised with n - 1 and a constant one is centred",
          "[logistic-regression]") {
  const Fixture fixture;
  const std::string csv = "x,k,label\n1,7,0\n2,7,1\n6,7,1\n";
  const auto model = fixture.model(csv);
  const double sd = std::sqrt(7.0);
  const MatrixXd x{{1, -2 / sd, 0}, {1, -1 / sd, 0}, {1, 3 / sd, 0}};
  const VectorXd theta{{0.3, -0.8, 2.0}};
  CHECK(evaluate(*model, theta).u[0] ==
        Approx(potential(x, {-1, 1, 1}, theta, 100)).epsilon(1e-14));
  REQUIRE(model->remarks().size() == 1);
  CHECK(contains(model->remarks()[0], "Column \"k\""));
  CHECK(contains(model->remarks()[0], "constant"));
}

TEST_CASE("powers are of the raw inputs, without cross terms, power by power",
          "[logistic-regression]") {
  const Fixture fixture;
  const auto model = fixture.model(small, raw + "powers = 3");
  CHECK(names(*model) ==
        std::vector<std::string>{"intercept", "x", "y", "x^2", "y^2", "x^3", "y^3"});
  MatrixXd x(5, 7);
  const MatrixXd base = small_design();
  x << base, base.rightCols(2).array().square().matrix(), base.rightCols(2).array().cube().matrix();
  const VectorXd theta{{0.1, -0.2, 0.3, 0.04, -0.05, 0.006, -0.007}};
  CHECK(evaluate(*model, theta).u[0] ==
        Approx(potential(x, small_signs, theta, 100)).epsilon(1e-13));
}

TEST_CASE("the larger of two labels is the positive one unless another is named",
          "[logistic-regression]") {
  const Fixture fixture;
  const VectorXd theta{{1, 0}};
  const std::string numeric = "x,label\n1,9\n2,10\n3,10\n";
  const auto u = [&](const std::string& csv, const std::string& rest) {
    return evaluate(*fixture.model(csv, raw + rest), theta).u[0];
  };
  const auto expected = [](int positives) {
    return 0.005 + positives * std::log1p(std::exp(-1.0)) +
           (3 - positives) * std::log1p(std::exp(1.0));
  };
  CHECK(u(numeric, "") == Approx(expected(2)));
  CHECK(u(numeric, "positive = \"9.0\"") == Approx(expected(1)));
  CHECK(u(numeric, "positive = 9") == Approx(expected(1)));
  CHECK(u("x,label\n1,a\n2,b\n3,c\n", "positive = \"b\"") == Approx(expected(1)));
}

TEST_CASE("chosen inputs keep their order and the intercept may be left out",
          "[logistic-regression]") {
  const Fixture fixture;
  CHECK(names(*fixture.model(small, "inputs = [\"y\", \"x\"]\nintercept = false")) ==
        std::vector<std::string>{"y", "x"});
}

TEST_CASE("names that a file of draws cannot hold are changed and remarked on",
          "[logistic-regression]") {
  const Fixture fixture;
  const auto model =
      fixture.model("chain,a/b,intercept,+c,label\n1,2,3,4,0\n2,1,5,3,1\n4,4,1,1,0\n");
  CHECK(names(*model) ==
        std::vector<std::string>{"intercept", "chain_", "a_b", "intercept_", "_+c"});
  REQUIRE(model->remarks().size() == 1);
  CHECK(contains(model->remarks()[0],
                 "column \"chain\" as \"chain_\", column \"a/b\" as \"a_b\", column \"intercept\" "
                 "as \"intercept_\", and 1 more."));
}

TEST_CASE("a column is not called like an element of another", "[logistic-regression]") {
  const Fixture fixture;
  const auto model = fixture.model("a,a[1],b[2],label\n1,2,3,0\n2,1,5,1\n4,4,1,0\n");
  CHECK(names(*model) == std::vector<std::string>{"intercept", "a", "a[1]_", "b[2]"});
}

TEST_CASE("a prediction is the probability at the given raw inputs", "[logistic-regression]") {
  const Fixture fixture;
  const auto model = fixture.model(small,
                                   "powers = 2\npredict.p_b = { x = 3, y = 0.5 }\n"
                                   "predict.p_a = { y = 1, x = 2 }");
  const mixwell::Derived* derived = model->offers<mixwell::Derived>();
  REQUIRE(derived != nullptr);
  CHECK(mixwell::coordinate_names(derived->quantities()) == std::vector<std::string>{"p_a", "p_b"});
  MatrixXd theta(5, 2);
  theta << 0.3, 1, -0.5, 2, 0.25, -1, 0.75, 0, 0.125, 0.5;
  MatrixXd out(2, 2);
  derived->derive(theta, out);
  const MatrixXd column = small_design().rightCols(2);
  MatrixXd features(5, 4);
  features << column, column.array().square().matrix();
  const RowVectorXd mean = features.colwise().mean();
  const RowVectorXd sd = ((features.rowwise() - mean).colwise().squaredNorm() / 4).cwiseSqrt();
  const RowVectorXd point{{3, 0.5, 9, 0.25}};
  const RowVectorXd scaled = (point - mean).cwiseQuotient(sd);
  const double z = theta(0, 1) + scaled.dot(theta.col(1).tail(4));
  CHECK(out(1, 1) == Approx(1 / (1 + std::exp(-z))).epsilon(1e-13));
}

TEST_CASE("test cases are scaled like the training data and errors are counted",
          "[logistic-regression]") {
  const Fixture fixture;
  const std::string test = fixture.file("test.csv", "label,y,x\nyes,1,2\nno,3,4\nyes,0,9\n");
  const auto model = fixture.model(small, "test = \"" + test + "\"");
  const mixwell::Prediction* prediction = model->offers<mixwell::Prediction>();
  REQUIRE(prediction != nullptr);
  CHECK(prediction->cases() == 3);
  const MatrixXd column = small_design().rightCols(2);
  const RowVectorXd mean = column.colwise().mean();
  const RowVectorXd sd = ((column.rowwise() - mean).colwise().squaredNorm() / 4).cwiseSqrt();
  const VectorXd theta{{0.5, 1, -2}};
  MatrixXd out(3, 1);
  prediction->predict(theta, out);
  const RowVectorXd third = (RowVectorXd{{9, 0}} - mean).cwiseQuotient(sd);
  const double z = 0.5 + third.dot(theta.tail(2));
  CHECK(out(2, 0) == Approx(1 / (1 + std::exp(-z))).epsilon(1e-13));
  CHECK(prediction->error(VectorXd{{0.9, 0.2, 0.6}}) == 0);
  CHECK(prediction->error(VectorXd{{0.4, 0.7, 0.6}}) == Approx(2.0 / 3));
}

TEST_CASE("prior draws are normals of the prior's variance", "[logistic-regression]") {
  const Fixture fixture;
  const auto model = fixture.model(small, "prior_variance = 4");
  MatrixXd theta(3, 100000);
  model->offers<mixwell::Prior>()->draw(mixwell::Stream(1, "prior"), {}, theta);
  const double mean_square = theta.squaredNorm() / 3e5;  // sd 4 sqrt(2 / 3e5)
  CHECK(std::abs(mean_square - 4) < 4 * 4 * std::sqrt(2 / 3e5));
  CHECK(std::abs(theta.mean()) < 4 * 2 / std::sqrt(3e5));
}

TEST_CASE("bad tables are refused with their place and fault", "[logistic-regression]") {
  const Fixture fixture;
  CHECK(contains(fixture.refusal("x,label\n1,0\n2\n"), "data.csv:3: row 2 has 1 cells"));
  CHECK(contains(fixture.refusal("x,label\n1,0\noops,1\n"),
                 "data.csv:3: row 2, column \"x\": \"oops\""));
  CHECK(contains(fixture.refusal("x,label\n1,0\nNaN,1\n"), "column \"x\": \"NaN\""));
  CHECK(contains(fixture.refusal("x,label\n1,0\n2,0\n"), "two labels"));
  CHECK(contains(fixture.refusal("label\n1\n0\n"), "there are no input columns"));
  CHECK(contains(fixture.refusal(""), "empty"));
  CHECK(contains(fixture.refusal("x,lable\n1,0\n2,1\n"), "did you mean \"lable\"?"));
  CHECK(contains(fixture.refusal("x,label\n1e200,0\n2,1\n", "powers = 2"),
                 "\"x^2\" contains a number above"));
}

TEST_CASE("bad keys are refused with the rule they break", "[logistic-regression]") {
  const Fixture fixture;
  CHECK(
      contains(fixture.refusal(small, "positive = \"maybe\""), "(labels found: \"no\", \"yes\")"));
  CHECK(contains(fixture.refusal("x,label\n1,a\n2,b\n3,c\n"), "positive"));
  CHECK(contains(fixture.refusal(small, "inputs = [\"x\", \"z\"]"), "no column \"z\""));
  CHECK(contains(fixture.refusal(small, "inputs = [\"x\", \"label\"]"),
                 "must not name the response"));
  CHECK(contains(fixture.refusal(small, "inputs = [\"x\", \"x\"]"), "twice"));
  CHECK(contains(fixture.refusal(small, "predict.p = { x = 1 }"),
                 "needs a value for the input \"y\""));
  CHECK(contains(fixture.refusal(small, "predict.p = { x = 1, y = 1, z = 1 }"),
                 "unknown input \"z\""));
  CHECK(contains(fixture.refusal(small, "predict.x = { x = 1, y = 1 }"),
                 "a parameter has this name"));
  CHECK(contains(fixture.refusal(small, "prior_variance = 0"), "prior_variance"));
  const std::string test = fixture.file("test.csv", "x,y,label\n1,2,perhaps\n");
  CHECK(contains(fixture.refusal(small, "test = \"" + test + "\""),
                 "test.csv:2: row 1, column \"label\": the training data do not have the label"));
}
