// Tests model `bayesian-neural-network`: potential, predictions, choice of cases, errors.
// SPDX-License-Identifier: Apache-2.0
#include "guest_models.hpp"
#include "unit/block_of_model.hpp"
#include "unit/data_making.hpp"
#include "unit/support.hpp"

#include <mixwell/contracts/model.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using guests::make_model;
using guests::refusal;
using mixwell::Model;
using support::contains;
using support::evaluate;

const std::string small =
    "x,y,kind\n0.5,-1,red\n1.5,0.25,blue\n-0.75,2,green\n0,1,blue\n2,-2,red\n";

class Fixture {
 public:
  std::string file(const std::string& name, const std::string& text) const {
    return folder_.file(name, text);
  }
  std::string body(const std::string& text, const std::string& rest) const {
    return "use = \"bayesian-neural-network\"\ndata = \"" + file("cases.csv", text) +
           "\"\nresponse = \"kind\"\n" + rest;
  }

 private:
  support::TemporaryFolder folder_;
};

VectorXd position(const Model& model) {
  VectorXd theta(model.dimension());
  for (Index i = 0; i < theta.size(); ++i)
    theta[i] = 0.8 * std::sin(1.0 + 2.3 * static_cast<double>(i));
  return theta;
}

/// Two inputs, two hidden units and three classes, computed directly from the formulas.
struct ByHand {
  const VectorXd& t;

  std::array<double, 3> probabilities(double x, double y) const {
    std::array<double, 2> s{};
    for (int h = 0; h < 2; ++h) s[h] = 1 / (1 + std::exp(-(t[h] * x + t[2 + h] * y + t[4 + h])));
    std::array<double, 3> p{};
    double total = 0;
    for (int c = 0; c < 3; ++c) {
      p[c] = std::exp(t[6 + c] * s[0] + t[9 + c] * s[1] + t[12 + c]);
      total += p[c];
    }
    for (double& one : p) one /= total;
    return p;
  }
  /// The classes are the sorted labels: blue, green, red.
  double potential(double shape, double rate) const {
    const std::array<std::array<double, 3>, 5> cases = {
        {{0.5, -1, 2}, {1.5, 0.25, 0}, {-0.75, 2, 1}, {0, 1, 0}, {2, -2, 2}}};
    double u = 0;
    for (const auto& [x, y, label] : cases)
      u -= std::log(probabilities(x, y)[static_cast<std::size_t>(label)]);
    const std::array<int, 5> ends = {0, 4, 6, 12, 15};
    for (std::size_t g = 0; g < 4; ++g) {
      const int n = ends[g + 1] - ends[g];
      const double l = std::exp(t[15 + static_cast<Index>(g)]);
      u += 0.5 * l * t.segment(ends[g], n).squaredNorm() - 0.5 * n * std::log(l);
      u += rate * l - (shape - 1) * std::log(l) - std::log(l);  // gamma, dl = l dlog l
    }
    return u;
  }
};

}  // namespace

TEST_CASE("a network satisfies the contract of a model", "[network][slow]") {
  const Fixture fixture;
  const auto findings = mixwell::contracts::check_model(
      *make_model(fixture.body(small, "hidden = 2\nshape = 6\nrate = 6\n")));
  INFO(mixwell::contracts::report(findings));
  CHECK(mixwell::contracts::all_hold(findings));
}

TEST_CASE("U of a network agrees with its definition", "[network]") {
  const Fixture fixture;
  const auto model = make_model(fixture.body(small, "hidden = 2\nshape = 1.5\nrate = 2.5\n"));
  REQUIRE(model->dimension() == 4 + 2 + 6 + 3 + 4);
  const VectorXd one = position(*model);
  const VectorXd other = 0.3 * one.reverse();
  CHECK(evaluate(*model, one).u[0] - evaluate(*model, other).u[0] ==
        Approx(ByHand{one}.potential(1.5, 2.5) - ByHand{other}.potential(1.5, 2.5)).epsilon(1e-12));
}

// 600 cases make two whole panels of 256 and an incomplete one.
TEST_CASE("a network gives the same result for cases in panels and one by one", "[network]") {
  const Fixture fixture;
  std::string text = "x,kind\n";
  for (int n = 0; n < 600; ++n)
    text += std::to_string(std::sin(n)) + "," + std::to_string(n % 2) + "\n";
  const auto model = make_model(fixture.body(text, "hidden = 3\n"));
  const VectorXd theta = position(*model);
  const auto whole = evaluate(*model, theta);
  MatrixXd g(model->dimension(), 1);
  Eigen::RowVectorXd u(1);
  mixwell::Workspace scratch;
  model->offers<mixwell::SumOfTerms>()->evaluate_rest(theta, {u.data(), g, scratch});
  for (Index n = 0; n < 600; ++n) {
    MatrixXd gradient(model->dimension(), 1);
    Eigen::RowVectorXd term(1);
    model->offers<mixwell::SumOfTerms>()->evaluate_terms(
        theta, MatrixXd::Constant(1, 1, static_cast<double>(n)), {term.data(), gradient, scratch});
    u += term;
    g += gradient;
  }
  CHECK(u[0] == Approx(whole.u[0]).epsilon(1e-12));
  CHECK((g - whole.g).norm() < 1e-11 * whole.g.norm());
}

TEST_CASE("a network predicts the class with the largest average probability", "[network]") {
  const Fixture fixture;
  const std::string test = fixture.file("test.csv", "kind,y,x\nblue,-1,0.5\nred,1,0\n");
  const auto model = make_model(fixture.body(small, "hidden = 2\ntest = \"" + test + "\"\n"));
  const mixwell::Prediction* prediction = model->offers<mixwell::Prediction>();
  REQUIRE(prediction != nullptr);
  CHECK(prediction->cases() == 2);
  REQUIRE(prediction->predicted() == 6);
  const VectorXd theta = position(*model);
  MatrixXd out(6, 1);
  prediction->predict(theta, out);
  const auto first = ByHand{theta}.probabilities(0.5, -1);
  const auto second = ByHand{theta}.probabilities(0, 1);
  for (Index c = 0; c < 3; ++c) {
    CHECK(out(c, 0) == Approx(first[static_cast<std::size_t>(c)]).epsilon(1e-13));
    CHECK(out(3 + c, 0) == Approx(second[static_cast<std::size_t>(c)]).epsilon(1e-13));
  }
  CHECK(prediction->error(VectorXd{{0.4, 0.35, 0.25, 0.1, 0.3, 0.6}}) == 0);
  CHECK(prediction->error(VectorXd{{0.3, 0.45, 0.25, 0.1, 0.3, 0.6}}) == 0.5);
  CHECK(prediction->error(VectorXd{{0.3, 0.45, 0.25, 0.4, 0.3, 0.3}}) == 1);
}

TEST_CASE("the first cases are for training, and the others may be the test cases", "[network]") {
  const Fixture fixture;
  const auto first = make_model(fixture.body(small, "hidden = 2\ncases = 3\n"));
  CHECK(first->offers<mixwell::SumOfTerms>()->terms() == 3);
  CHECK(first->offers<mixwell::Prediction>() == nullptr);
  const auto split = make_model(fixture.body(small, "hidden = 2\ncases = 3\nvalidate = true\n"));
  REQUIRE(split->offers<mixwell::Prediction>() != nullptr);
  CHECK(split->offers<mixwell::Prediction>()->cases() == 2);
  const VectorXd theta = position(*split);
  MatrixXd out(6, 1);
  split->offers<mixwell::Prediction>()->predict(theta, out);
  CHECK(out(5, 0) == Approx(ByHand{theta}.probabilities(2, -2)[2]).epsilon(1e-13));
}

TEST_CASE("errors for bad cases of a network name the location and the rule", "[network]") {
  const Fixture fixture;
  const auto said = [&](const std::string& text, const std::string& rest) {
    return refusal(fixture.body(text, rest));
  };
  CHECK(said(small, "hidden = 2\n") == "accepted");
  CHECK(
      contains(said("x,kind\n1,a\n2,a\n", ""), "a classifier needs at least two different labels"));
  const std::string test = fixture.file("test.csv", "x,y,kind\n1,1,red\n1,2,violet\n");
  const std::string unseen = said(small, "test = \"" + test + "\"\n");
  CHECK(contains(unseen, "test.csv:3"));
  CHECK(contains(unseen, "the label \"violet\" does not occur in the training data"));
  CHECK(contains(said(small, "cases = 6\n"), "must be at most 5"));
  CHECK(contains(said(small, "validate = true\n"), "needs cases that are not used for training"));
  CHECK(contains(said(small, "cases = 2\nvalidate = true\ntest = \"" + test + "\"\n"),
                 "cannot be combined with `test`"));
  CHECK(contains(said(small, "hidden = 0\n"), "hidden"));
  CHECK(contains(refusal("use = \"bayesian-neural-network\"\ndata = \"" +
                         fixture.file("c.csv", small) + "\"\n"),
                 "response"));
}

TEST_CASE("output weights and biases have the same U as in the whole network") {
  const Fixture fixture;
  std::string many = "x,y,kind\n";
  for (int n = 0; n < 300; ++n)  // more than one panel
    many += std::to_string(std::sin(n)) + "," + std::to_string(std::cos(3 * n)) +
            (n % 3 == 0   ? ",red\n"
             : n % 3 == 1 ? ",blue\n"
                          : ",green\n");
  const auto model = make_model(fixture.body(many, "hidden = 4\nshape = 2\nrate = 0.5\n"));
  CHECK(support::off_the_whole(*model, {"output_weights", "output_bias"}) < 1e-13);
  CHECK(support::off_the_whole(*model, {"output_weights"}) < 1e-13);
  CHECK(support::off_the_whole(*model, {"output_bias[1:]"}) < 1e-13);
  CHECK(support::off_the_whole(*model, {"output_weights[:,1]", "output_bias[0]"}) < 1e-13);
  CHECK_FALSE(support::block_of(*model, {"hidden_weights"}));
  CHECK_FALSE(support::block_of(*model, {"output_bias", "output_bias_precision"}));
}
