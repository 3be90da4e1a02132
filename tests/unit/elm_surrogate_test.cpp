// The fit of a random network: online against batch, and the contract of its potential.
// SPDX-License-Identifier: Apache-2.0
#include "../../estimators/random-network/triangle.hpp"
#include "composing.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/estimator.hpp>

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <string>

using namespace mixwell;

namespace {

constexpr Index d = 3;

/// U = sum theta_i^4 / 4 + theta' A theta / 2 near a mode at 0, and its Laplace approximation.
Laplace laplace() {
  Eigen::MatrixXd H = Eigen::MatrixXd::Constant(d, d, 0.5);
  H.diagonal().setConstant(2.0);
  return {Eigen::VectorXd::Constant(d, 0.2), H};
}

Eigen::MatrixXd gradient(const Eigen::MatrixXd& theta) {
  const Laplace at = laplace();
  return at.hessian * (theta.colwise() - at.mode) +
         (theta.colwise() - at.mode).array().cube().matrix();
}

std::shared_ptr<const Surrogate> network(const std::string& keys) {
  const Entry& entry = composing::registry().find(Kind::estimator, "elm-surrogate");
  const auto blueprint = entry.blueprint();
  const auto set = [&](const std::string& key, auto value) {
    using T = decltype(value);
    *std::get<T*>(blueprint->fields().find(key)->target()) = value;
  };
  set("activation", keys.substr(0, keys.find(' ')));
  set("nodes", std::int64_t{std::stol(keys.substr(keys.find(' ')))});
  const std::shared_ptr<const Component> made = blueprint->make();
  return std::dynamic_pointer_cast<const SurrogateEstimator>(made)->surrogate(laplace());
}

Eigen::MatrixXd points(Index n, std::uint64_t k) {
  Eigen::MatrixXd theta(d, n);
  Stream(9, "tests/elm").normals({k, 0, 0}, theta);
  return theta;
}

struct Values {
  Eigen::RowVectorXd z;
  Eigen::MatrixXd g;
};

Values evaluate(const Surrogate& surrogate, const Eigen::VectorXd& column,
                const Eigen::MatrixXd& theta) {
  Workspace scratch;
  Values found{Eigen::RowVectorXd(theta.cols()), Eigen::MatrixXd(theta.rows(), theta.cols())};
  surrogate.evaluate(ConstMatrixMap(column.data(), column.size(), 1), theta,
                     {found.z.data(), found.g, scratch});
  return found;
}

Eigen::VectorXd learnt(const Surrogate& surrogate, const Eigen::MatrixXd& theta, Index at_once) {
  Workspace scratch;
  Eigen::VectorXd column = surrogate.initial();
  const Eigen::MatrixXd g = gradient(theta);
  for (Index k = 0; k < theta.cols(); k += at_once) {
    const Index n = std::min(at_once, theta.cols() - k);
    surrogate.learn(column, theta.middleCols(k, n), g.middleCols(k, n), scratch);
  }
  return column;
}

const std::vector<std::string> kinds = {"softplus 100", "tanh 60", "rbf 33"};

}  // namespace

TEST_CASE("points one by one and all at once give the same surrogate") {
  for (const std::string& kind : kinds) {
    INFO(kind);
    const auto surrogate = network(kind);
    const Eigen::MatrixXd theta = points(80, 1);
    Workspace scratch;
    Eigen::VectorXd batch(surrogate->rows());
    surrogate->fit(theta, gradient(theta), batch, scratch);
    const Eigen::MatrixXd where = points(20, 2);
    const Eigen::MatrixXd wanted = evaluate(*surrogate, batch, where).g;
    for (const Index at_once : {1, 7, 80}) {
      const Eigen::MatrixXd g = evaluate(*surrogate, learnt(*surrogate, theta, at_once), where).g;
      CHECK((g - wanted).norm() < 1e-8 * wanted.norm());
    }
    CHECK((evaluate(*surrogate, batch, theta).g - gradient(theta)).norm() <
          0.5 * gradient(theta).norm());
  }
}

TEST_CASE("the gradient of a surrogate is its gradient") {
  for (const std::string& kind : kinds) {
    INFO(kind);
    const auto surrogate = network(kind);
    const Eigen::VectorXd column = learnt(*surrogate, points(60, 3), 10);
    const Eigen::MatrixXd theta = points(5, 4);
    const Eigen::MatrixXd g = evaluate(*surrogate, column, theta).g;
    for (Index i = 0; i < d; ++i) {
      constexpr double h = 1e-5;
      Eigen::MatrixXd up = theta;
      Eigen::MatrixXd down = theta;
      up.row(i).array() += h;
      down.row(i).array() -= h;
      const Eigen::RowVectorXd numeric =
          (evaluate(*surrogate, column, up).z - evaluate(*surrogate, column, down).z) / (2 * h);
      CHECK((numeric - g.row(i)).norm() < 1e-6 * (1.0 + g.norm()));
    }
  }
}

TEST_CASE("a column of a surrogate does not depend on the others") {
  const auto surrogate = network("softplus 70");
  const Eigen::VectorXd column = learnt(*surrogate, points(30, 5), 30);
  Eigen::MatrixXd theta = points(4, 6);
  const Eigen::MatrixXd together = evaluate(*surrogate, column, theta).g;
  theta.rightCols(3).setConstant(std::nan(""));
  CHECK((evaluate(*surrogate, column, theta).g.col(0).array() == together.col(0).array()).all());
}

TEST_CASE("the triangle of a fit stays that of its rows over many updates", "[slow]") {
  constexpr Index s = 40;
  for (const double ridge : {1e-3, 1e-10}) {
    INFO("ridge " << ridge);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> T =
        Eigen::MatrixXd::Zero(s, s + 1);
    T.leftCols(s).diagonal().setConstant(std::sqrt(ridge));
    Eigen::MatrixXd M = ridge * Eigen::MatrixXd::Identity(s, s);
    Workspace scratch;
    const Stream stream(21, "tests/triangle");
    for (std::uint64_t k = 0; k < 100000; ++k) {
      const Workspace::Frame frame(scratch);
      // Rows of rank 2 in 30 of the 40 directions: the others keep 1 / ridge for ever.
      MatrixMap rows = scratch.matrix(2, s + 1);
      stream.normals({k, 0, 0}, rows);
      rows.rightCols(11).setZero();
      M += rows.leftCols(s).transpose() * rows.leftCols(s);
      random_network::AddRows(random_network::Triangle(T.data(), s, s + 1), rows, scratch).run();
    }
    const Eigen::MatrixXd R = T.leftCols(s);
    CHECK(R.isUpperTriangular(0.0));
    CHECK((R.transpose() * R - M).norm() < 1e-10 * M.norm());
    CHECK(R.diagonal().cwiseAbs().minCoeff() >= std::sqrt(ridge) * (1.0 - 1e-9));
    const Eigen::MatrixXd inverse =
        R.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(s, s));
    const Eigen::MatrixXd C = inverse * inverse.transpose();
    CHECK((C - C.transpose()).norm() == 0.0);
    CHECK(C.llt().info() == Eigen::Success);
    CHECK(std::abs(C(s - 1, s - 1) * ridge - 1.0) < 1e-9);
  }
}

TEST_CASE("points that are not finite are left out of a fit") {
  const auto surrogate = network("softplus 20");
  Eigen::MatrixXd theta = points(10, 7);
  Eigen::MatrixXd g = gradient(theta);
  Workspace scratch;
  Eigen::VectorXd wanted = surrogate->initial();
  surrogate->learn(wanted, theta.rightCols(9), g.rightCols(9), scratch);
  g(1, 0) = std::nan("");
  Eigen::VectorXd found = surrogate->initial();
  surrogate->learn(found, theta, g, scratch);
  CHECK((found - wanted).norm() == 0.0);
}

TEST_CASE(
    "an estimator of potentials is refused as a preconditioner, and a preconditioner as a "
    "surrogate") {
  const std::string model = "[model.m]\nuse = \"quartic\"\n";
  CHECK_THROWS_AS(
      composing::compose(model + "[estimator.e]\nuse = \"elm-surrogate\"\n[kernel.k]\nuse = "
                                 "\"hamiltonian\"\nsteps = 10\nestimator = \"e\"\n"),
      InputError);
  CHECK_THROWS_AS(composing::compose(
                      model + "[estimator.e]\nuse = \"lbfgs\"\n[oracle.o]\nuse = \"surrogate\"\n"
                              "estimator = \"e\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 10\n"),
                  InputError);
  // If the manifest names none, the oracle and the kernel each find the right estimator.
  CHECK_NOTHROW(composing::compose(
      model +
      "[estimator.e]\nuse = \"elm-surrogate\"\n[estimator.c]\nuse = \"dense\"\n[oracle.o]\n"
      "use = \"surrogate\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 10\n"));
}
