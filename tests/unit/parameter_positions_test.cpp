// Starting points given by the values of parameters, with their constraints.
// SPDX-License-Identifier: Apache-2.0
#include "law/parameter_positions.hpp"

#include "constrained_laws.hpp"
#include "support.hpp"

#include <cmath>
#include <string>

namespace {

using mixwell::ConstrainedModel;
using mixwell::Constraint;
using mixwell::Index;
using mixwell::NamedPositions;
using support::contains;

/// U = 0 of x, p and s.
class Three final : public ConstrainedModel {
 public:
  Three() {
    declare({.name = "x", .shape = {2, 2}});
    declare({.name = "p", .shape = {3}, .constraint = Constraint::simplex()});
    declare({.name = "s", .shape = {}, .constraint = Constraint::positive()});
  }

 protected:
  void evaluate_values(mixwell::ConstBatch, const mixwell::Evaluation& out) const override {
    if (out.wants_gradient()) mixwell::Batch(out.gradient).setZero();
    if (out.wants_potential()) out.u().setZero();
  }
};

/// The start that a file with this text gives, or the message that refuses it.
std::string start(const std::string& json, Eigen::VectorXd& theta) {
  const support::TemporaryFolder folder;
  const std::string path = folder.file("start.json", json);
  const Three model;
  theta.resize(model.dimension());
  try {
    mixwell::named_positions_of(model)->read_position(path, theta);
    return "";
  } catch (const mixwell::InputError& error) {
    return std::string(error.what()).substr(path.size());
  }
}

std::string refusal(const std::string& json) {
  Eigen::VectorXd theta;
  return start(json, theta);
}

}  // namespace

TEST_CASE("values in JSON are a position, and parameters that are left out NaN", "[start]") {
  Eigen::VectorXd theta;
  REQUIRE(start("{\"s\": 2, \"x\": [[1, 2], [3, 4.5]]}", theta).empty());
  CHECK(theta.head(4) == Eigen::Vector4d(1, 2, 3, 4.5));
  CHECK(theta.segment(4, 2).array().isNaN().all());
  CHECK(theta[6] == Approx(std::log(2.0)));
  REQUIRE(start("{\"p\": [0.2, 0.3, 0.5]}", theta).empty());
  Eigen::VectorXd x(8);
  theta.head(4).setZero(), theta[6] = 0;
  Three().map().constrain(theta, x);
  CHECK(x.segment(4, 3).isApprox(Eigen::Vector3d(0.2, 0.3, 0.5)));
}

TEST_CASE("values that no position has are refused by name and rule", "[start]") {
  CHECK(
      contains(refusal("{\"s\": -1}"), "impossible value of `s` (lower = 0): -1 must be above 0"));
  CHECK(contains(refusal("{\"p\": [0.5, 0.5, 0.5]}"),
                 "`p` (simplex): the sum of the elements must be 1 (got 1.5)"));
  CHECK(contains(refusal("{\"p\": [0.5, 0.5]}"),
                 "the values of `p` contain an array of length 2 where the shape (3) of this "
                 "parameter needs arrays of these lengths"));
  CHECK(contains(refusal("{\"x\": [1, 2]}"),
                 "`x` contain 1 where the shape (2, 2) of this parameter needs arrays"));
  CHECK(contains(refusal("{\"s\": [1]}"),
                 "`s` contain [1] where the shape () of this parameter needs a number"));
  CHECK(contains(refusal("{\"s\": null}"), "`s` contain null"));
  CHECK(contains(refusal("{\"sigma\": 1}"), "`sigma` is not a parameter of the model"));
  CHECK(contains(refusal("[1]"), "must contain a JSON object with values of parameters"));
  CHECK(contains(refusal("{\"s\": 1e999}"), "is damaged"));
}

TEST_CASE("values by name and coordinates lead to one another", "[start]") {
  const mixwell::testing::ConstrainedLaws model;
  const Eigen::MatrixXd theta = support::exact_draws(model, 1);
  Eigen::MatrixXd x(model.map().values(), 1);
  model.map().constrain(theta, x);
  std::vector<mixwell::NamedValues> values;
  const double* at = x.data();
  for (const mixwell::Parameter& one : model.parameters()) {
    values.push_back({one.name, one.shape, {at, at + one.size()}});
    at += one.size();
  }
  Eigen::MatrixXd found(theta.rows(), 1);
  mixwell::named_positions_of(model)->position(values, found);
  Eigen::MatrixXd again(x.rows(), 1);
  model.map().constrain(found, again);
  CHECK((again - x).cwiseAbs().maxCoeff() < 1e-9);
}
