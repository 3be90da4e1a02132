// Steps of a recipe: the covariance of their discretisation, the noise that a thermostat absorbs,
// and their certificates.
// SPDX-License-Identifier: Apache-2.0
#include "../unit/support.hpp"
#include "moments.hpp"

#include <Eigen/Dense>

#include <cmath>
#include <string>

using sampling::expect;
using sampling::label;
using sampling::Moment;
using sampling::second_moment;
using support::contains;

namespace {

std::string text(double x) { return std::to_string(x); }

std::string normal(int dimension, double variance) {
  return "[model.m]\nuse = \"gaussian\"\ndimension = " + std::to_string(dimension) +
         "\ncovariance = \"ones-plus\"\nc = " + text(variance) + "\n";
}

const std::string wide =
    "[model.m]\nuse = \"gaussian\"\ndimension = 2\ncovariance = \"diagonal\"\nvariances = [4, 4]\n";
const std::string standard = "[model.m]\nuse = \"gaussian\"\ndimension = 10\n";
const std::string quartic = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";
constexpr double quartic_moment = 0.67597824;

std::string noisy(double variance) {
  if (variance == 0.0) return "[oracle.o]\nuse = \"exact\"\n";
  return "[oracle.o]\nuse = \"noisy\"\nvariance = " + text(variance) + "\n";
}
std::string recipe(const std::string& dynamics, double eps, const std::string& lines = "") {
  return "[kernel.k]\nuse = \"recipe\"\ndynamics = \"" + dynamics + "\"\nstep_size = " + text(eps) +
         "\n" + lines;
}

/// Var theta of theta' = theta + eps p, p' = (1 - eps A) p - eps (theta / 4 + N(0, V)) + N(0, 2 A
/// eps): P = M P M' + Q by iteration.
double euler_variance(double eps, double friction, double noise) {
  Eigen::Matrix2d M;
  M << 1.0, eps, -eps / 4.0, 1.0 - eps * friction;
  Eigen::Matrix2d P = Eigen::Matrix2d::Zero();
  for (int k = 0; k < 100000; ++k) {
    P = M * P * M.transpose();
    P(1, 1) += 2.0 * eps * friction + eps * eps * noise;
  }
  return P(0, 0);
}

}  // namespace

TEST_CASE("SGHMC by its recipe has the covariance of its discretisation") {
  for (const double V : {0.0, 3.0}) {
    for (const double eps : {0.3, 0.1}) {
      INFO("V = " << V << ", eps = " << eps);
      const std::string body = wide + noisy(V) + recipe("sghmc", eps, "friction = 1.5\n");
      expect(second_moment(body, {4000, static_cast<std::int64_t>(60 / eps), 100}),
             {euler_variance(eps, 1.5, V), 0.0});
    }
  }
}

TEST_CASE("SGRLD by its recipe has the covariance of its discretisation") {
  // H = 4 on N(0, 4): theta' = (1 - eps) theta + sqrt(8 eps) z.
  const double eps = 0.2;
  expect(second_moment(wide + recipe("sgrld", eps), {4000, 60, 100}),
         {8.0 * eps / (1.0 - (1.0 - eps) * (1.0 - eps)), 0.0});
}

TEST_CASE("a thermostat takes up noise that heats SGHMC to twice the variance") {
  // B = eps V / 2 = 1 and A = 1, so SGHMC is right for exp(-U / 2).
  const sampling::Length length{160, 5000, 2500};
  const Moment hot = second_moment(standard + noisy(100) + recipe("sghmc", 0.02), length);
  const Moment right = second_moment(standard + noisy(100) + recipe("sgnht", 0.02), length);
  INFO(hot.mean << " +- " << hot.error << ", " << right.mean << " +- " << right.error);
  CHECK(hot.mean == Approx(2.0).epsilon(0.1));
  CHECK(right.mean == Approx(1.0).epsilon(0.05));
}

TEST_CASE("recipes on a law that is not Gaussian err by less and less as steps shrink") {
  for (const std::string dynamics : {"sghmc", "sgnht", "sgrld"}) {
    const Moment found = second_moment(quartic + recipe(dynamics, 0.01), {1000, 1000, 500});
    INFO(dynamics << ": " << found.mean << " +- " << found.error);
    CHECK(std::abs(found.mean - quartic_moment) < 4.0 * found.error + 0.015);
  }
}

TEST_CASE("a Gamma that is forgotten moves the law, whatever the step") {
  const auto with = [](const std::string& mistake) {
    return second_moment(normal(1, 1.0) +
                             "[kernel.k]\nuse = \"wrong-recipe\"\nstep_size = 0.01\n"
                             "mistake = \"" +
                             mistake + "\"\n",
                         {4000, 1500, 500});
  };
  const Moment right = with("none");
  const Moment wrong = with("forgotten");
  INFO(right.mean << " +- " << right.error << ", " << wrong.mean << " +- " << wrong.error);
  CHECK(right.mean == Approx(2.0).epsilon(0.06));
  CHECK(wrong.mean > 2.5);
}

TEST_CASE("the certificate of a recipe claims its Gamma, and nothing without it") {
  for (const std::string dynamics : {"sghmc", "sgnht", "sgrld"}) {
    INFO(dynamics);
    const mixwell::Verdict now = composing::verdict(quartic + noisy(1) + recipe(dynamics, 0.01));
    CHECK(now.label() == "asymptotic");
    CHECK(now.order == 1);
    CHECK(now.declared.empty());
  }
  const mixwell::Verdict from_outside =
      composing::verdict(quartic + "[kernel.k]\nuse = \"wrong-recipe\"\nstep_size = 0.01\n");
  CHECK(from_outside.label() == "asymptotic");
  CHECK(from_outside.evidence() == mixwell::Evidence::declared);
  const std::string without = "[estimator.e]\nuse = \"expected-fisher\"\ngamma = false\n";
  const mixwell::Verdict forgotten = composing::verdict(quartic + without + recipe("sgrld", 0.01));
  CHECK(forgotten.label() == "biased");
  CHECK(forgotten.proved);
}

TEST_CASE("what a recipe cannot be made of is refused") {
  CHECK(contains(composing::refusal(quartic + recipe("sgrld", 0.1, "friction = 1\n")),
                 "It needs dynamics = \"sghmc\" or \"sgnht\""));
  CHECK(contains(composing::refusal(quartic + "[estimator.e]\nuse = \"rms-diagonal\"\n" +
                                    recipe("sgrld", 0.1)),
                 "must depend only on theta if dynamics = \"sgrld\""));
  CHECK(contains(
      composing::refusal("[model.m]\nuse = \"student-t\"\ndimension = 2\n" + recipe("sgrld", 0.1)),
      "the model offers no metric"));
}
