// The model `gaussian`: its five covariances against each other and against linear algebra.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <Eigen/Cholesky>

#include <sstream>

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::contains;
using support::evaluate;
using support::make_model;
using support::refusal;

MatrixXd points(Eigen::Index d, Eigen::Index n) {
  MatrixXd theta(d, n);
  mixwell::Stream(3, "points").normals({}, theta);
  return theta;
}

// U = (theta - mean)' Sigma^-1 (theta - mean) / 2 by a factorisation of Sigma.
double worst_difference(const mixwell::Model& model, const MatrixXd& sigma, const VectorXd& mean) {
  const MatrixXd theta = points(sigma.rows(), 11);
  const MatrixXd centred = theta.colwise() - mean;
  const MatrixXd g = sigma.llt().solve(centred);
  const support::Evaluated at = evaluate(model, theta);
  const Eigen::RowVectorXd u = 0.5 * centred.cwiseProduct(g).colwise().sum();
  return std::max((at.g - g).cwiseAbs().maxCoeff() / g.cwiseAbs().maxCoeff(),
                  (at.u - u).cwiseAbs().maxCoeff() / u.cwiseAbs().maxCoeff());
}

std::string csv(const MatrixXd& matrix) {
  std::ostringstream out;
  out.precision(17);
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) out << (j ? "," : "") << "x" << j;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) out << (j ? "," : "\n") << matrix(i, j);
  out << "\n";
  return out.str();
}

std::string dense(const std::string& path) {
  return "use = \"gaussian\"\ncovariance = \"dense\"\nfile = \"" + path + "\"\n";
}

MatrixXd some_covariance() {
  const MatrixXd a = points(4, 4);
  const MatrixXd sigma = a * a.transpose() + MatrixXd::Identity(4, 4);
  return (sigma + sigma.transpose()) / 2;
}

}  // namespace

TEST_CASE("every shape of a gaussian satisfies the contract of a model", "[gaussian][slow]") {
  const support::TemporaryFolder folder;
  const std::string bodies[] = {
      "use = \"gaussian\"\ndimension = 2",
      "use = \"gaussian\"\nmean = [1, -2, 0.5]\ncovariance = \"diagonal\"\n"
      "variances = [4, 1, 0.01]",
      "use = \"gaussian\"\ndimension = 30\nmean = [2]\ncovariance = \"ones-plus\"\nc = 0.5",
      "use = \"gaussian\"\ndimension = 5\ncovariance = \"geometric\"\ncondition = 1e4",
      dense(folder.file("sigma.csv", csv(some_covariance()))) + "mean = [1, 2, 3, 4]"};
  for (const std::string& body : bodies) {
    const mixwell::contracts::Findings findings =
        mixwell::contracts::check_model(*make_model(body));
    INFO(body << "\n" << mixwell::contracts::report(findings));
    CHECK(mixwell::contracts::all_hold(findings));
  }
}

TEST_CASE("each covariance of a gaussian is the one it names", "[gaussian]") {
  const VectorXd mean = VectorXd::LinSpaced(6, -1, 2);
  const std::string with_mean = "use = \"gaussian\"\nmean = [-1, -0.4, 0.2, 0.8, 1.4, 2]\n";
  const MatrixXd one = MatrixXd::Identity(6, 6);
  CHECK(worst_difference(*make_model(with_mean), one, mean) < 1e-14);
  CHECK(worst_difference(*make_model(with_mean + "covariance = \"ones-plus\"\nc = 0.25"),
                         MatrixXd::Ones(6, 6) + 0.25 * one, mean) < 1e-14);
  VectorXd variances(6);
  variances << 1, 0.1, 0.01, 1e-3, 1e-4, 1e-5;
  const MatrixXd axes = variances.asDiagonal();
  CHECK(worst_difference(*make_model(with_mean + "covariance = \"geometric\"\ncondition = 1e5"),
                         axes, mean) < 1e-13);
  CHECK(worst_difference(*make_model(with_mean + "covariance = \"diagonal\"\n"
                                                 "variances = [1, 0.1, 0.01, 1e-3, 1e-4, 1e-5]"),
                         axes, mean) < 1e-14);
}

TEST_CASE("a gaussian reads its covariance from a file", "[gaussian]") {
  const support::TemporaryFolder folder;
  const MatrixXd sigma = some_covariance();
  const auto model = make_model(dense(folder.file("sigma.csv", csv(sigma))));
  CHECK(worst_difference(*model, sigma, VectorXd::Zero(4)) < 1e-13);
}

TEST_CASE("a gaussian in one and in a hundred thousand dimensions is evaluated", "[gaussian]") {
  const auto line = make_model(
      "use = \"gaussian\"\ndimension = 1\ncovariance = \"geometric\"\n"
      "condition = 100");
  CHECK(evaluate(*line, MatrixXd::Constant(1, 1, 3)).u[0] == 4.5);
  const auto wide = make_model(
      "use = \"gaussian\"\ndimension = 100000\ncovariance = "
      "\"ones-plus\"\nc = 1e-3");
  const support::Evaluated at = evaluate(*wide, MatrixXd::Ones(100000, 1));
  CHECK(at.u[0] == Approx(0.5 * 1e5 / (1e5 + 1e-3)).epsilon(1e-11));  // a sum of 10^5 terms
}

TEST_CASE("a mean of one number holds for all coordinates", "[gaussian]") {
  const auto model = make_model("use = \"gaussian\"\ndimension = 3\nmean = [2]");
  CHECK(evaluate(*model, MatrixXd::Constant(3, 2, 2)).u.isZero(0));
}

TEST_CASE("a gaussian refuses keys that do not fit together", "[gaussian]") {
  const std::string use = "use = \"gaussian\"\n";
  CHECK(contains(refusal(use), "dimension"));
  CHECK(contains(refusal(use + "dimension = 3\nmean = [1, 2]"), "mean"));
  CHECK(contains(refusal(use + "dimension = 2\nvariances = [1, 2]"), "covariance = \"diagonal\""));
  CHECK(contains(refusal(use + "dimension = 2\ncovariance = \"ones-plus\""), "c"));
  CHECK(contains(refusal(use + "covariance = \"diagonal\"\nvariances = [1, -2]"), "variances"));
  CHECK(contains(refusal(use + "covariance = \"dense\""), "file"));
  CHECK(contains(refusal(use + "dimension = 3\ncovariance = \"diagonal\"\nvariances = [1, 2]"),
                 "3 coordinates"));
}

TEST_CASE("a covariance file may have variances of any sizes", "[gaussian]") {
  const support::TemporaryFolder folder;
  const auto model = make_model(dense(folder.file("sigma.csv", "a,b\n1e-30,0.5\n0.5,1e30\n")));
  MatrixXd at(2, 1);
  at << 1e-15, 1e15;  // a standard deviation each, correlated by 1/2
  CHECK(evaluate(*model, at).u[0] == Approx(2.0 / 3.0).epsilon(1e-12));
}

TEST_CASE("a covariance file that is no covariance is refused with its fault", "[gaussian]") {
  const support::TemporaryFolder folder;
  const auto refused = [&folder](const std::string& text) {
    return refusal(dense(folder.file("sigma.csv", text)));
  };
  CHECK(contains(refused("a,b\n1,0\n"), "1 rows and 2 columns"));
  CHECK(contains(refused("a,b\n1,0.5\n0.25,1\n"), "row 1, column 2 is 0.5"));
  CHECK(contains(refused("a,b\n1,2\n2,1\n"), "smallest eigenvalue of its correlation matrix is -"));
  CHECK(contains(refused("a,b\n1,1\n1,1\n"), "numerically positive definite"));
  CHECK(contains(refused("a,b\n1,0\n0,-2\n"), "row 2, column 2 is -2"));
  // Units do not change what is refused either.
  CHECK(contains(refused("a,b\n1e-30,1\n1,1e30\n"), "numerically positive definite"));
  CHECK(contains(refused("a,b\n1,oops\n0,1\n"), "sigma.csv:2: row 1, column \"b\": \"oops\""));
}
