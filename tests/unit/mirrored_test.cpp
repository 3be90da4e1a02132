// The model `mirrored`: its contract over several bases, the fold, what it passes on, refusals.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "support.hpp"

#include <mixwell/contracts/model.hpp>

namespace {

using Eigen::MatrixXd;
using mixwell::Index;
using mixwell::Model;
using support::contains;
using support::evaluate;

std::string manifest(const std::string& base, const std::string& keys = "") {
  return "[model.base]\n" + base + "[model.whole]\nuse = \"mirrored\"\n" + keys +
         "[kernel.k]\nuse = \"langevin\"\n[compositor.c]\nuse = \"chain\"\nmodel = \"whole\"\n";
}

std::shared_ptr<const Model> mirrored(const std::string& base, const std::string& keys = "") {
  return composing::compose(manifest(base, keys)).model();
}

std::string refusal(const std::string& text) {
  try {
    composing::compose(text);
    return "accepted";
  } catch (const mixwell::InputError& error) {
    return error.what();
  }
}

const std::string gamma_model = "use = \"gamma\"\nshape = 4\nrate = 2\ndimension = 3\n";
const std::string regression_model = "use = \"linear-gaussian\"\ncases = 40\ndimension = 3\n";

/// The mutant without the sign of the gradient.
class Unreflected final : public Model {
 public:
  explicit Unreflected(std::shared_ptr<const Model> base) : base_(std::move(base)) {}
  std::vector<mixwell::Parameter> parameters() const override { return base_->parameters(); }

 private:
  void do_evaluate(mixwell::ConstBatch theta, const mixwell::Evaluation& out) const override {
    base_->evaluate(theta.cwiseAbs().eval(), out);
  }
  std::shared_ptr<const Model> base_;
};

}  // namespace

TEST_CASE("mirrored models satisfy the contract of a model, whatever they are made of",
          "[mirrored][slow]") {
  const std::pair<std::string, std::string> cases[] = {
      {gamma_model, ""},
      {"use = \"quartic\"\ndimension = 3\n", ""},
      {"use = \"banana\"\n", ""},
      {"use = \"funnel\"\ndimension = 4\n", "parameters = [\"x\"]\n"},
      {regression_model, ""},
      {"use = \"logistic-regression\"\ndata = \"" + std::string(MIXWELL_SOURCE_DIR) +
           "/examples/challenger/challenger.csv\"\nresponse = \"distress\"\ninputs = "
           "[\"temperature\"]\npredict.p = { temperature = 60 }\n",
       "parameters = [\"intercept\"]\n"},
  };
  for (const auto& [base, keys] : cases) {
    const auto findings = mixwell::contracts::check_model(*mirrored(base, keys));
    INFO(base << mixwell::contracts::report(findings));
    CHECK(mixwell::contracts::all_hold(findings));
  }
}

TEST_CASE("a mirror that leaves the gradient's sign is caught", "[mirrored]") {
  const auto whole = mirrored("use = \"quartic\"\ndimension = 3\n");
  CHECK(mixwell::contracts::all_hold(mixwell::contracts::check_model(*whole)));
  CHECK_FALSE(mixwell::contracts::all_hold(mixwell::contracts::check_model(
      Unreflected(support::make_model("use = \"quartic\"\ndimension = 3")))));
}

TEST_CASE("U and gradient are those of the base at |theta|, with the sign of theta", "[mirrored]") {
  const auto base = support::make_model(gamma_model);
  const auto whole = mirrored(gamma_model);
  const MatrixXd theta{{0.5, -0.5}, {-2, 2}, {-1e-3, -7}};
  const auto at = evaluate(*whole, theta);
  const auto expected = evaluate(*base, theta.cwiseAbs());
  CHECK(at.u == expected.u);
  CHECK(at.g == expected.g.cwiseProduct(theta.cwiseSign()));
}

TEST_CASE("coordinates that are not named stay as they are", "[mirrored]") {
  const auto base = support::make_model("use = \"funnel\"\ndimension = 3");
  const auto whole = mirrored("use = \"funnel\"\ndimension = 3\n", "parameters = [\"x\"]\n");
  const MatrixXd theta{{-1, 2}, {-2, 3}, {1, -4}};
  MatrixXd folded = theta.cwiseAbs();
  folded.row(0) = theta.row(0);
  CHECK(evaluate(*whole, theta).u == evaluate(*base, folded).u);
  MatrixXd recorded(3, 2);
  mixwell::ConstraintMap(whole->parameters()).constrain(theta, recorded);
  CHECK(recorded == folded);
}

TEST_CASE("exact draws are the base's with random, independent signs", "[mirrored]") {
  const auto base = support::make_model(gamma_model);
  const auto whole = mirrored(gamma_model);
  constexpr Index n = 20000;
  const MatrixXd theta = support::exact_draws(*whole, n);
  CHECK(theta.cwiseAbs() == support::exact_draws(*base, n));
  const MatrixXd sign = theta.cwiseSign();
  const double root = std::sqrt(double(n));
  for (Index i = 0; i < 3; ++i) {
    CHECK(std::abs(sign.row(i).mean()) * root < 5);
    CHECK(std::abs(sign.row(i).dot(sign.row((i + 1) % 3))) / root < 5);
    CHECK(std::abs(sign.row(i).head(n - 1).dot(sign.row(i).tail(n - 1))) / root < 5);
  }
}

TEST_CASE("a law that is cut off at 0 has no exact draws, a positive one has", "[mirrored]") {
  CHECK(mirrored(gamma_model)->offers<mixwell::ExactSampler>() != nullptr);
  CHECK(mirrored("use = \"gaussian\"\ndimension = 2\nmean = [3, 3]\n")
            ->offers<mixwell::ExactSampler>() == nullptr);
  const auto regression = mirrored(regression_model);
  CHECK(regression->offers<mixwell::ExactSampler>() == nullptr);
  CHECK(regression->offers<mixwell::SumOfTerms>() != nullptr);
  CHECK(regression->offers<mixwell::Metric>() != nullptr);
  CHECK(mirrored(gamma_model)->offers<mixwell::SumOfTerms>() == nullptr);
  CHECK(mirrored(gamma_model)->offers<mixwell::Prediction>() == nullptr);
}

TEST_CASE("what a mirror is made of is checked where it is written", "[mirrored]") {
  CHECK(
      contains(refusal(manifest(gamma_model, "parameters = [\"y\"]\n")),
               "test.toml:9:14: model.whole.parameters = [ 'y' ]: \"y\" is not a parameter of the "
               "model that `of` names (known: x)"));
  CHECK(contains(refusal(manifest(gamma_model, "of = \"bass\"\n")), "did you mean \"base\"?"));
  CHECK(contains(refusal("[model.base]\n" + gamma_model + "[model.whole]\nuse = \"mirrored\"\n" +
                         "[model.twice]\nuse = \"mirrored\"\nof = \"whole\"\n[kernel.k]\nuse = "
                         "\"langevin\"\n[compositor.c]\nuse = \"chain\"\nmodel = \"twice\"\n"),
                 "Choose one with of = \"NAME\""));
  const std::string twice = "[model.base]\n" + gamma_model +
                            "[model.whole]\nuse = \"mirrored\"\nof = " +
                            "\"base\"\n[model.twice]\nuse = \"mirrored\"\nof = \"whole\"\n"
                            "[kernel.k]\nuse = \"langevin\"\n[compositor.c]\nuse = \"chain\"\n"
                            "model = \"twice\"\n";
  CHECK(contains(refusal(twice), "already has a constraint (absolute)"));
  CHECK(contains(refusal("[model.m]\nuse = \"mirrored\"\nof = \"m\"\n[kernel.k]\nuse = "
                         "\"langevin\"\n"),
                 "references must not form a cycle"));
  CHECK(contains(refusal("[model.base]\n" + gamma_model + "[model.whole]\nuse = \"mirrored\"\n" +
                         "[kernel.k]\nuse = \"langevin\"\n"),
                 "Choose one with model = \"NAME\""));
}

TEST_CASE("a mirror says what it costs schemes without Metropolis", "[mirrored]") {
  const auto remarks = composing::compose(manifest(gamma_model)).remarks;
  REQUIRE(remarks.size() == 1);
  CHECK(contains(remarks[0],
                 "model.whole: The density is mirrored at 0. Metropolis kernels leave this density "
                 "invariant."));
}
