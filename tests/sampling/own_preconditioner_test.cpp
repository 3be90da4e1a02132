// Preconditioners that follow the slot they move, and the bias that the drift correction removes.
// SPDX-License-Identifier: Apache-2.0
#include "moments.hpp"

#include <string>

using sampling::expect;
using sampling::label;
using sampling::Moment;
using sampling::second_moment;

namespace {

std::string text(double x) { return std::to_string(x); }

const std::string normal_model = "[model.m]\nuse = \"gaussian\"\ndimension = 1\n";

std::string psgld(const std::string& gamma, double eps) {
  return "[estimator.e]\nuse = \"rms-diagonal\"\nalpha = 0.9\nlambda = 0.1\ngamma = \"" + gamma +
         "\"\n[kernel.k]\nuse = \"langevin\"\nstep_size = " + text(eps) + "\n";
}

std::string sgrld(const std::string& gamma, double eps) {
  return "[estimator.e]\nuse = \"expected-fisher\"\ngamma = " + gamma +
         "\n[kernel.k]\nuse = \"langevin\"\nstep_size = " + text(eps) + "\n";
}

/// E theta^2 of the density exp(-U) det H^-1 on a grid: what steps without Gamma have as eps -> 0.
template <class U, class H>
double without_gamma(const U& potential, const H& preconditioner) {
  double mass = 0.0;
  double second = 0.0;
  for (double x = -8.0; x <= 8.0; x += 1e-4) {
    const double density = std::exp(-potential(x)) / preconditioner(x);
    mass += density;
    second += x * x * density;
  }
  return second / mass;
}

}  // namespace

TEST_CASE("PSGLD on a normal: known figures for no Gamma, one step's and the whole", "[nightly]") {
  CHECK(label(normal_model + psgld("none", 1e-3)) == "biased");
  CHECK(label(normal_model + psgld("one-step", 1e-3)) == "biased");
  CHECK(label(normal_model + psgld("stationary", 1e-3)) == "asymptotic");
  const sampling::Length length{2000, 4000, 6000};
  expect(second_moment(normal_model + psgld("none", 1e-3), length), {1.87, 0.02});
  expect(second_moment(normal_model + psgld("one-step", 1e-3), length), {1.77, 0.02});
  const Moment whole = second_moment(normal_model + psgld("stationary", 1e-3), length);
  INFO(whole.mean << " +- " << whole.error);
  CHECK(std::abs(whole.mean - 1.0) < 0.1);
}

TEST_CASE("PSGLD without Gamma keeps exp(-U) det H^-1") {
  const double wanted = without_gamma([](double x) { return 0.5 * x * x; },
                                      [](double x) { return 1.0 / (0.1 + std::abs(x)); });
  const Moment found = second_moment(normal_model + psgld("none", 1e-3), {2000, 4000, 6000});
  INFO(found.mean << ", wanted " << wanted);
  CHECK(std::abs(found.mean - wanted) < 0.05);
}

TEST_CASE("SGRLD with its Gamma is right, and without it keeps exp(-U) det G") {
  const std::string quartic = "[model.m]\nuse = \"quartic\"\ndimension = 1\n";
  constexpr double truth = 0.67597824;
  CHECK(label(quartic + sgrld("true", 0.01)) == "asymptotic");
  CHECK(label(quartic + sgrld("false", 0.01)) == "biased");
  const Moment right = second_moment(quartic + sgrld("true", 0.005), {4000, 1000, 1000});
  INFO(right.mean << " +- " << right.error);
  CHECK(std::abs(right.mean - truth) < 4.0 * right.error + 0.01);
  const double wanted = without_gamma([](double x) { return 0.25 * x * x * x * x; },
                                      [](double x) { return 1.0 / (1.0 + 3.0 * x * x); });
  const Moment wrong = second_moment(quartic + sgrld("false", 0.005), {4000, 1000, 1000});
  INFO(wrong.mean << " +- " << wrong.error << ", without Gamma " << wanted);
  CHECK(std::abs(wrong.mean - wanted) < 4.0 * wrong.error + 0.01);
  CHECK(wanted > truth + 0.1);
}

TEST_CASE("SGRLD in two coordinates that depend on one another") {
  const std::string banana = "[model.m]\nuse = \"banana\"\n";
  const std::string exact = banana +
                            "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                            "\"hamiltonian\"\nsteps = 10\nstep_size = 0.3\n";
  const Moment truth = second_moment(exact, {40000, 5, 40});
  const Moment right = second_moment(banana + sgrld("true", 0.005), {4000, 1500, 1500});
  INFO(right.mean << " +- " << right.error << ", truth " << truth.mean << " +- " << truth.error);
  CHECK(std::abs(right.mean - truth.mean) <
        4.0 * std::hypot(right.error, truth.error) + 0.02 * truth.mean);
}

TEST_CASE("SGRLD with a constant metric has the covariance of its discretisation") {
  // H = 4 on N(0, 4): theta' = (1 - eps) theta + sqrt(8 eps) z.
  const std::string wide =
      "[model.m]\nuse = \"gaussian\"\ndimension = 2\ncovariance = \"diagonal\"\nvariances = [4, "
      "4]\n";
  const double eps = 0.2;
  CHECK(label(wide + sgrld("false", eps)) == "asymptotic");
  expect(second_moment(wide + sgrld("true", eps), {4000, 60, 100}),
         {8.0 * eps / (1.0 - (1.0 - eps) * (1.0 - eps)), 0.0});
}

TEST_CASE("a preconditioner that follows the slot is refused where no Gamma could go") {
  const std::string fisher = "[estimator.e]\nuse = \"expected-fisher\"\n";
  const std::string rms = "[estimator.e]\nuse = \"rms-diagonal\"\n";
  for (const std::string kernel : {"hamiltonian", "nuts", "metropolis-gaussian"}) {
    INFO(kernel);
    for (const std::string& estimator : {fisher, rms}) {
      CHECK_THROWS_AS(
          second_moment(normal_model + estimator + "[kernel.k]\nuse = \"" + kernel + "\"\n",
                        {1, 0, 1}),
          mixwell::InputError);
    }
  }
  CHECK_THROWS_AS(
      composing::compose(normal_model + rms + "[kernel.k]\nuse = \"langevin\"\nsteps = 2\n"),
      mixwell::InputError);
  CHECK_THROWS_AS(second_moment("[model.m]\nuse = \"student-t\"\n" + sgrld("true", 0.1), {1, 0, 1}),
                  mixwell::InputError);
}
