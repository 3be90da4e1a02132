// Shared parts of all models: names, recorded values, starting points, the gradient check.
// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <mixwell/lab/gradient_check.hpp>
#include <mixwell/law/constrained_model.hpp>
#include <mixwell/model.hpp>

#include <cmath>
#include <limits>

namespace {

using Eigen::MatrixXd;
using mixwell::ConstBatch;
using mixwell::Constraint;
using mixwell::Evaluation;
using mixwell::Index;
using mixwell::Parameter;

// U = sum_i scale_i (cosh(theta_i) - 1), the gradient of coordinate 1 multiplied by `factor`.
class Catenary final : public mixwell::Model {
 public:
  explicit Catenary(double factor = 1, double scale = 1) : factor_(factor), scale_(scale) {}
  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {3}}}; }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    mixwell::Batch g = out.gradient;
    g = (scale_ * theta.array().sinh()).matrix();
    g.row(1) *= factor_;
    if (out.wants_potential())
      out.u() = (scale_ * (theta.array().cosh() - 1)).colwise().sum().matrix();
  }
  double factor_;
  double scale_;
};

// U = -log theta, infinite for theta <= 0.
class HalfLine final : public mixwell::Model {
 public:
  std::vector<Parameter> parameters() const override { return {{.name = "x", .shape = {}}}; }

 private:
  void do_evaluate(ConstBatch theta, const Evaluation& out) const override {
    mixwell::Batch g = out.gradient;
    g = (-theta.array().inverse()).matrix();
    if (!out.wants_potential()) return;
    for (Index j = 0; j < theta.cols(); ++j)
      out.u()[j] =
          theta(0, j) > 0 ? -std::log(theta(0, j)) : std::numeric_limits<double>::infinity();
  }
};

const MatrixXd somewhere{{0.5, -1}, {0.3, 2}, {-0.7, 0.1}};

}  // namespace

TEST_CASE("coordinates are named as ArviZ names them", "[model]") {
  const std::vector<Parameter> parameters = {
      {.name = "mu", .shape = {}}, {.name = "beta", .shape = {2}}, {.name = "w", .shape = {2, 3}}};
  CHECK(mixwell::coordinate_names(parameters) ==
        std::vector<std::string>{"mu", "beta[0]", "beta[1]", "w[0, 0]", "w[0, 1]", "w[0, 2]",
                                 "w[1, 0]", "w[1, 1]", "w[1, 2]"});
  CHECK(parameters[2].size() == 6);
  CHECK(parameters[0].size() == 1);
}

TEST_CASE("recorded values are those of the constraints, also in place", "[model]") {
  const mixwell::ConstraintMap map(
      {{.name = "a", .shape = {}},
       {.name = "b", .shape = {2}, .constraint = Constraint::positive()},
       {.name = "c", .shape = {}, .constraint = Constraint::interval(0, 1)},
       {.name = "d", .shape = {}, .constraint = Constraint::absolute()}});
  MatrixXd theta{{1, 2}, {0, std::log(3.0)}, {1, -1}, {0, -800}, {-3, 4}};
  const MatrixXd expected{{1, 2}, {1, 3}, {std::exp(1.0), std::exp(-1.0)}, {0.5, 0}, {3, 4}};
  MatrixXd out(5, 2);
  map.constrain(theta, out);
  CHECK(out.isApprox(expected, 1e-15));
  map.constrain(theta, theta);
  CHECK(theta == out);
}

TEST_CASE("a model starts at uniforms on (-2, 2) unless it says otherwise", "[model]") {
  MatrixXd theta(3, 20000);
  Catenary().initial(mixwell::Stream(1, "start"), {}, theta);
  CHECK(theta.minCoeff() > -2);
  CHECK(theta.maxCoeff() < 2);
  const double root_n = std::sqrt(60000.0);
  CHECK(std::abs(theta.mean()) * root_n / std::sqrt(4.0 / 3) < 4);
  CHECK(std::abs(theta.array().square().mean() - 4.0 / 3) * root_n / std::sqrt(64.0 / 45) < 4);
}

TEST_CASE("shapes that do not fit are refused", "[model]") {
  MatrixXd g(3, 4);
  mixwell::Workspace scratch;
  CHECK_THROWS_WITH(Catenary().evaluate(MatrixXd::Zero(3, 5), {nullptr, g, scratch}),
                    Catch::Contains("3 x 5"));
}

TEST_CASE("a right gradient passes the check at any scale of U", "[gradient-check]") {
  for (const double scale : {1e-4, 1.0, 1e6})
    CHECK(mixwell::gradient_error(Catenary(1, scale), somewhere).relative < 1e-7);
  CHECK(mixwell::gradient_error(Catenary(), MatrixXd::Zero(3, 1)).relative < 1e-6);
}

TEST_CASE("a gradient wrong by a factor, a sign or slightly is found with its coordinate",
          "[gradient-check]") {
  for (const double factor : {2.0, -1.0, 0.0, 1.0001}) {
    const mixwell::GradientError worst = mixwell::gradient_error(Catenary(factor), somewhere);
    CHECK(worst.coordinate == 1);
    CHECK(worst.relative ==
          Approx(std::abs(factor - 1) / std::max(1.0, std::abs(factor))).epsilon(1e-2));
    CHECK(worst.gradient == Approx(factor * worst.difference).epsilon(1e-4).margin(1e-8));
  }
  MatrixXd at = MatrixXd::Zero(3, 2);
  at(1, 1) = 1;
  CHECK(mixwell::gradient_error(Catenary(2), at).point == 1);
}

TEST_CASE("the check works close to the edge of the support", "[gradient-check]") {
  CHECK(mixwell::gradient_error(HalfLine(), MatrixXd::Constant(1, 1, 1e-3)).relative < 1e-7);
}

TEST_CASE("a potential that is not finite at the point is an infinite error", "[gradient-check]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(mixwell::gradient_error(HalfLine(), MatrixXd::Constant(1, 1, -1)).relative == infinity);
  CHECK(mixwell::gradient_error(Catenary(), MatrixXd::Constant(3, 1, std::nan(""))).relative ==
        infinity);
}

TEST_CASE("A name of a parameter is one that draws.nc can have") {
  for (const char* good : {"x", "beta_1", "1st", "_", "a b", "age^2",
                           "gr\xC3\xB6\xC3\x9F"
                           "e"}) {
    CAPTURE(good);
    CHECK(mixwell::broken_name_rule(good).empty());
  }
  CHECK(mixwell::broken_name_rule(std::string(240, 'n')).empty());
  CHECK(mixwell::broken_name_rule("") == "is empty");
  CHECK(mixwell::broken_name_rule(std::string(241, 'n')) ==
        "has 241 bytes, but may have at most 240");
  for (const char* bad :
       {"a/b", "a\n", "a\x7F", "a ", " a", "<x", "-x", "chain", "draw", "replicate", "slot",
        "sample", "\xFF", "a\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "gr\xF6\xDF"
        "e"}) {
    CAPTURE(bad);
    CHECK_FALSE(mixwell::broken_name_rule(bad).empty());
  }
}
