// Constraints: inverse maps, Jacobians and their gradients against differences, broken rules.
// SPDX-License-Identifier: Apache-2.0
#include "constrained_laws.hpp"
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

#include <Eigen/LU>

#include <cmath>
#include <limits>

namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using mixwell::ConstraintMap;
using mixwell::Index;
using mixwell::Parameter;
using mixwell::Stream;
using support::contains;
using Constraint = mixwell::Constraint;

/// U = 0 of given parameters.
class Declared final : public mixwell::ConstrainedModel {
 public:
  explicit Declared(const std::vector<Parameter>& parameters) {
    for (const Parameter& one : parameters) declare(one);
  }

 protected:
  void evaluate_values(mixwell::ConstBatch, const mixwell::Evaluation& out) const override {
    if (out.wants_gradient()) mixwell::Batch(out.gradient).setZero();
    if (out.wants_potential()) out.u().setZero();
  }
};

const std::vector<Parameter> each = {
    {.name = "absolute", .shape = {2}, .constraint = Constraint::absolute()},
    {.name = "lower", .shape = {2, 2}, .constraint = Constraint::lower(-3)},
    {.name = "upper", .shape = {}, .constraint = Constraint::upper(5)},
    {.name = "interval", .shape = {3}, .constraint = Constraint::interval(-2, 7)},
    {.name = "simplex", .shape = {4}, .constraint = Constraint::simplex()},
    {.name = "simplexes", .shape = {2, 2, 3}, .constraint = Constraint::simplex()},
    {.name = "ordered", .shape = {4}, .constraint = Constraint::ordered()},
    {.name = "positive", .shape = {2, 3}, .constraint = Constraint::positive_ordered()},
    {.name = "unit", .shape = {3}, .constraint = Constraint::unit_vector()},
    {.name = "correlation", .shape = {4, 4}, .constraint = Constraint::cholesky_correlation()},
    {.name = "pair", .shape = {2, 2, 2}, .constraint = Constraint::cholesky_correlation()},
    {.name = "covariance", .shape = {3, 3}, .constraint = Constraint::cholesky_covariance()},
    {.name = "loadings", .shape = {4, 2}, .constraint = Constraint::cholesky_covariance()},
    {.name = "none", .shape = {2}}};

MatrixXd coordinates(const ConstraintMap& map, Index columns) {
  MatrixXd theta(map.coordinates(), columns);
  Stream(5, "test/constraint").normals({}, theta);
  return 1.3 * theta;
}

MatrixXd values(const ConstraintMap& map, const MatrixXd& theta) {
  MatrixXd x(map.values(), theta.cols());
  map.constrain(theta, x);
  return x;
}

RowVectorXd log_jacobian(const ConstraintMap& map, const MatrixXd& theta) {
  RowVectorXd u = RowVectorXd::Zero(theta.cols());
  map.subtract_log_jacobian(theta, u);
  return -u;
}

/// dx / dtheta at one column by central differences, q x d: error about 1e-9.
MatrixXd differences(const ConstraintMap& map, const VectorXd& theta) {
  constexpr double h = 1e-5;
  MatrixXd jacobian(map.values(), map.coordinates());
  for (Index i = 0; i < theta.size(); ++i) {
    VectorXd up = theta;
    VectorXd down = theta;
    up[i] += h, down[i] -= h;
    jacobian.col(i) = (values(map, up) - values(map, down)) / (up[i] - down[i]);
  }
  return jacobian;
}

/// The values that determine all others; there are as many as coordinates.
std::vector<Index> free_values(const Parameter& parameter) {
  const ConstraintMap map({parameter});
  const Index last = parameter.shape.empty() ? 1 : parameter.shape.back();
  std::vector<Index> all;
  for (Index k = 0; k < map.values(); ++k) {
    const bool ends_simplex = parameter.constraint == Constraint::simplex() && k % last == last - 1;
    const bool is_diagonal =
        parameter.constraint == Constraint::cholesky_correlation() && k % last == k / last % last;
    if (!map.is_fixed(k) && !ends_simplex && !is_diagonal) all.push_back(k);
  }
  return all;
}

}  // namespace

TEST_CASE("values lead back to their coordinates", "[constraint]") {
  for (const Parameter& parameter : each) {
    CAPTURE(parameter.name);
    const ConstraintMap map({parameter});
    CHECK(map.values() == parameter.size());
    CHECK(map.coordinates() == parameter.coordinates());
    MatrixXd theta = coordinates(map, 20);
    if (parameter.name == "absolute") theta = theta.cwiseAbs();
    if (parameter.name == "unit") theta.colwise().normalize();
    const MatrixXd x = values(map, theta);
    MatrixXd back(theta.rows(), theta.cols());
    map.unconstrain(x, back);
    CHECK((back - theta).cwiseAbs().maxCoeff() < 1e-9);
    for (Index j = 0; j < x.cols(); ++j) CHECK(map.broken_rule(x.col(j)).empty());
  }
}

TEST_CASE("a map of all parameters is the maps of each, one after the other", "[constraint]") {
  const ConstraintMap all(each);
  const MatrixXd theta = coordinates(all, 9);
  const MatrixXd x = values(all, theta);
  RowVectorXd sum = RowVectorXd::Zero(9);
  Index from = 0;
  Index to = 0;
  for (const Parameter& parameter : each) {
    const ConstraintMap map({parameter});
    const MatrixXd own = theta.middleRows(from, map.coordinates());
    CHECK((x.middleRows(to, map.values()) - values(map, own)).cwiseAbs().maxCoeff() < 1e-13);
    sum += log_jacobian(map, own);
    from += map.coordinates(), to += map.values();
  }
  CHECK((sum - log_jacobian(all, theta)).cwiseAbs().maxCoeff() < 1e-12);
  CHECK(!all.is_identity());
  CHECK(ConstraintMap({each.back()}).is_identity());
}

TEST_CASE("log |J| is that of the derivatives of the free values", "[constraint]") {
  for (const Parameter& parameter : each) {
    if (parameter.name == "unit") continue;  // no square matrix
    CAPTURE(parameter.name);
    const ConstraintMap map({parameter});
    const MatrixXd theta = coordinates(map, 5);
    const std::vector<Index> rows = free_values(parameter);
    REQUIRE(static_cast<Index>(rows.size()) == map.coordinates());
    for (Index j = 0; j < theta.cols(); ++j) {
      const MatrixXd square = differences(map, theta.col(j))(rows, Eigen::all);
      const double expected = std::log(std::abs(square.determinant()));
      CHECK(log_jacobian(map, theta)[j] == Approx(expected).margin(1e-6));
    }
  }
}

TEST_CASE("a unit vector's coordinates are normals where its direction is uniform",
          "[constraint]") {
  const ConstraintMap map({each[8]});
  const MatrixXd theta{{1, 0}, {2, -3}, {-2, 4}};
  CHECK(log_jacobian(map, theta) == RowVectorXd{{-4.5, -12.5}});
  CHECK(values(map, theta).isApprox(MatrixXd{{1 / 3.0, 0}, {2 / 3.0, -0.6}, {-2 / 3.0, 0.8}}));
}

TEST_CASE("gradients are pulled back by the transpose of J", "[constraint]") {
  const ConstraintMap map(each);
  const MatrixXd theta = coordinates(map, 4);
  const MatrixXd x = values(map, theta);
  MatrixXd gradient(map.values(), 4);
  Stream(6, "test/constraint").normals({}, gradient);
  MatrixXd g(map.coordinates(), 4);
  map.pull_back(theta, x, gradient, g);
  for (Index k = 0; k < map.values(); ++k)
    if (map.is_fixed(k)) gradient.row(k).setConstant(std::numeric_limits<double>::quiet_NaN());
  MatrixXd again(map.coordinates(), 4);
  map.pull_back(theta, x, gradient, again);
  CHECK(again == g);  // entries of fixed values are not read
  for (Index k = 0; k < map.values(); ++k)
    if (map.is_fixed(k)) gradient.row(k).setZero();
  for (Index j = 0; j < 4; ++j) {
    const VectorXd expected = differences(map, theta.col(j)).transpose() * gradient.col(j);
    CHECK((g.col(j) - expected).cwiseAbs().maxCoeff() < 1e-7);
  }
}

TEST_CASE("the gradient of log |J| is that of its differences", "[constraint]") {
  const ConstraintMap map(each);
  const MatrixXd theta = coordinates(map, 4);
  MatrixXd g = MatrixXd::Zero(map.coordinates(), 4);
  map.subtract_gradient_of_log_jacobian(theta, g);
  constexpr double h = 1e-5;
  for (Index i = 0; i < theta.rows(); ++i) {
    MatrixXd up = theta;
    MatrixXd down = theta;
    up.row(i).array() += h, down.row(i).array() -= h;
    const RowVectorXd expected = (log_jacobian(map, down) - log_jacobian(map, up)) / (2 * h);
    CHECK((g.row(i) - expected).cwiseAbs().maxCoeff() < 1e-7);
  }
}

TEST_CASE("far out, values stay in their set and derivatives are numbers", "[constraint]") {
  const ConstraintMap map({each[3], each[4], each[9]});
  for (const double far : {-40.0, 40.0, 300.0}) {
    const VectorXd theta = VectorXd::Constant(map.coordinates(), far);
    const VectorXd x = values(map, theta);
    CHECK((x.head(3).array() >= -2 && x.head(3).array() <= 7).all());
    CHECK((x.segment(3, 4).array() >= 0).all());
    CHECK(x.segment(3, 4).sum() == Approx(1));
    VectorXd g = VectorXd::Zero(theta.size());
    map.subtract_gradient_of_log_jacobian(theta, g);
    CHECK(g.allFinite());
    CHECK(std::isfinite(log_jacobian(map, theta)[0]));
    map.pull_back(theta, x, VectorXd::Ones(x.size()), g);
    CHECK(g.allFinite());
  }
}

TEST_CASE("values that no coordinates lead to are told with their rule", "[constraint]") {
  const auto said = [](Index k, const VectorXd& x) {
    return ConstraintMap({each[static_cast<std::size_t>(k)]}).broken_rule(x);
  };
  CHECK(said(1, Eigen::Vector4d(0, -3, 1, 1)) == "`lower` (lower = -3): -3 must be above -3");
  CHECK(said(2, VectorXd::Constant(1, 6)) == "`upper` (upper = 5): 6 must be below 5");
  CHECK(said(3, Eigen::Vector3d(0, 7, 1)) ==
        "`interval` (lower = -2, upper = 7): 7 must be between -2 and 7");
  CHECK(said(4, Eigen::Vector4d(0.5, 0.5, 0.5, 0.5)) ==
        "`simplex` (simplex): the sum of the elements must be 1 (got 2)");
  CHECK(said(4, Eigen::Vector4d(0, 0.5, 0.5, 0)) == "`simplex` (simplex): 0 must be above 0");
  CHECK(said(6, Eigen::Vector4d(1, 3, 2, 4)) ==
        "`ordered` (ordered): each element must be greater than the one before it (got 2 after 3)");
  CHECK(contains(said(7, VectorXd::Constant(6, -1)), "-1 must be above 0"));
  CHECK(contains(said(8, Eigen::Vector3d(1, 1, 0)),
                 "the Euclidean norm of the vector must be 1 (got 1.414"));
  CHECK(contains(said(10, VectorXd::Ones(8)), "each element above the diagonal must be 0 (got 1)"));
  CHECK(contains(said(11, VectorXd::Zero(9)), "each diagonal element must be positive (got 0)"));
  VectorXd factor = VectorXd::Zero(8);
  factor << 1, 0, 0.6, 0.7, 1, 0, 0, 1;
  CHECK(contains(said(10, factor),
                 "the Euclidean norm of each row must be 1, but row 1 has the norm"));
}

TEST_CASE("bounds and shapes that a constraint cannot have are refused", "[constraint]") {
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(Constraint::lower(infinite), Catch::Contains("must be finite"));
  CHECK_THROWS_WITH(Constraint::upper(-infinite), Catch::Contains("must be finite"));
  CHECK_THROWS_WITH(Constraint::interval(2, 2),
                    Catch::Contains("(2, 2), but its lower end must be below"));
  CHECK(contains(Constraint::simplex().broken_shape_rule({}), "at least 2"));
  CHECK(contains(Constraint::ordered().broken_shape_rule({3, 1}), "at least 2"));
  CHECK(contains(Constraint::cholesky_correlation().broken_shape_rule({3}),
                 "at least two dimensions"));
  CHECK(contains(Constraint::cholesky_correlation().broken_shape_rule({3, 2}),
                 "are equal and at least 2"));
  CHECK(contains(Constraint::cholesky_covariance().broken_shape_rule({2, 3}),
                 "at least as many rows as columns"));
  CHECK(Constraint::cholesky_covariance().broken_shape_rule({5, 3, 2}).empty());
}

TEST_CASE("coordinates without a number of their own are named as such", "[constraint]") {
  CHECK(mixwell::coordinate_names(
            {each[2], each[3], {.name = "p", .shape = {3}, .constraint = Constraint::simplex()}}) ==
        std::vector<std::string>{"upper", "interval[0]", "interval[1]", "interval[2]",
                                 "unconstrained_p[0]", "unconstrained_p[1]"});
}

// The contract compares exact draws with the gradient by Stein's identities: a constraint without
// its Jacobian, or with another one, fails.
TEST_CASE("exact draws under every constraint fit the gradient with log |J| in it",
          "[constraint]") {
  const auto findings = mixwell::contracts::check_model(mixwell::testing::ConstrainedLaws());
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("a parameter that cannot be declared is refused by name", "[constraint]") {
  CHECK_THROWS_WITH(Declared({{.name = "p", .shape = {}, .constraint = Constraint::simplex()}}),
                    Catch::Contains("the parameter `p` of shape {}: its constraint"));
  CHECK_THROWS_WITH(Declared({{.name = "p", .shape = {}}, {.name = "p", .shape = {2}}}),
                    Catch::Contains("another parameter has the same name"));
}

namespace {

/// U = 0 on (0, 1), where the model adds the Jacobian itself besides the framework.
class TwiceAdded final : public mixwell::ConstrainedModel, public mixwell::ExactSampler {
 public:
  TwiceAdded() { declare({.name = "x", .shape = {}, .constraint = Constraint::interval(0, 1)}); }
  void draw(const Stream& stream, mixwell::Address at, mixwell::Batch theta) const override {
    stream.uniforms(at, theta);
    theta = (theta.array().log() - (-theta.array()).log1p()).matrix();
  }

 protected:
  void evaluate_values(mixwell::ConstBatch x, const mixwell::Evaluation& out) const override {
    mixwell::Batch g = out.gradient;
    g = (1.0 / (1.0 - x.array()) - 1.0 / x.array()).matrix();
    if (out.wants_potential()) out.u() = -(x.array() * (1.0 - x.array())).log().matrix();
  }
};

}  // namespace

TEST_CASE("a Jacobian that is added twice is found by exact draws", "[constraint]") {
  const auto findings = mixwell::contracts::check_model(TwiceAdded());
  INFO(mixwell::contracts::report(findings));
  CHECK(!mixwell::contracts::all_hold(findings));
}
