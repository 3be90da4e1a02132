// Known answers of stochastic-gradient HMC: U = -2 theta^2 + theta^4, gradient noise N(0, 4), E
// theta^2 = 0.8327.
// SPDX-License-Identifier: Apache-2.0
#include "moments.hpp"

#include <string>

using sampling::expect;
using sampling::label;
using sampling::Length;
using sampling::Moment;
using sampling::second_moment;

namespace {

constexpr double exact_second_moment = 0.8327;

std::string text(double x) { return std::to_string(x); }

const std::string wells = "[model.m]\nuse = \"double-well\"\ndimension = 1\na = -2\nb = 1\n";
const std::string noise = "[oracle.o]\nuse = \"noisy\"\nvariance = 4.0\n";

std::string friction(double F, double D) {
  return "[integrator.i]\nuse = \"euler-maruyama-friction\"\nfriction = " + text(F) +
         "\nnoise_estimate = " + text(D) + "\n";
}

std::string hamiltonian(double eps, int steps, const std::string& rest) {
  return "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size "
         "= " +
         text(eps) + "\nsteps = " + std::to_string(steps) + "\n" + rest;
}

const std::string unadjusted = "metropolis = false\n";

}  // namespace

TEST_CASE("SGHMC on two wells, with and without its estimate of the noise") {
  const auto at = [](double D) {
    return wells + noise + friction(3.0, D) + hamiltonian(0.1, 50, unadjusted);
  };
  CHECK(label(at(0.2)) == "asymptotic");
  expect(second_moment(at(0.2), {4000, 20, 40}), {0.829, 0.0008});
  expect(second_moment(at(0.0), {4000, 20, 40}), {0.8315, 0.0008});
}

TEST_CASE("noisy gradients without friction: the error falls with eps at a fixed time",
          "[nightly]") {
  struct Case {
    double eps;
    int steps;
    Moment known;
  };
  for (const Case& c : {Case{0.1, 50, {0.968, 0.001}}, Case{0.05, 100, {0.891, 0.0015}},
                        Case{0.025, 200, {0.860, 0.0015}}}) {
    INFO("eps = " << c.eps);
    const std::string body = wells + noise + hamiltonian(c.eps, c.steps, unadjusted);
    CHECK(label(body) == "asymptotic");
    expect(second_moment(body, {4000, 15, 30}), c.known);
  }
}

TEST_CASE("noisy gradients with Metropolis on the exact U are exact") {
  const std::string body = wells + noise + hamiltonian(0.1, 50, "ratio = \"target\"\n");
  CHECK(label(body) == "exact");
  expect(second_moment(body, {8000, 10, 60}), {exact_second_moment, 0.0});
}

TEST_CASE("a noise that both kernels of a cycle use is not fresh for the second") {
  const auto cycle = [](const std::string& shared) {
    return wells + noise + shared +
           "[estimator.identity]\nuse = \"identity\"\n[kernel.a]\nuse = \"hamiltonian\"\nsteps = "
           "10\nratio = "
           "\"target\"\n" +
           "step_size = 0.1\n[kernel.b]\nuse = "
           "\"hamiltonian\"\nsteps = 10\nratio = \"target\"\n" +
           "step_size = 0.12\n[compositor.c]\nuse = \"cycle\"\n";
  };
  CHECK(label(cycle("")) == "exact");
  CHECK(label(cycle("shared = true\n")) == "biased");
}

TEST_CASE("a ratio with the U of a minibatch is biased") {
  // Its own batch at each end of the trajectory.
  const std::string model =
      "[model.m]\nuse = \"linear-gaussian\"\ndimension = 2\ncases = 50\nnoise_variance = 1\n"
      "simulate_seed = 3\n";
  const Length length{4000, 20, 60};
  const Moment truth = second_moment(model + hamiltonian(0.1, 10, ""), length);
  const std::string batch = "[oracle.o]\nuse = \"minibatch\"\nsize = 2\n";
  CHECK(label(model + batch + hamiltonian(0.02, 10, "")) == "biased");
  CHECK(label(model + batch + hamiltonian(0.02, 10, "ratio = \"target\"\n")) == "exact");
  expect(second_moment(model + batch + hamiltonian(0.02, 10, "ratio = \"target\"\n"), length),
         truth);
  const Moment wrong = second_moment(model + batch + hamiltonian(0.02, 10, ""), length);
  INFO(wrong.mean << " +- " << wrong.error << ", truth " << truth.mean);
  CHECK(std::abs(wrong.mean - truth.mean) > 8.0 * wrong.error);
}

TEST_CASE("a momentum that is redrawn now and then keeps noisy dynamics in bounds") {
  const auto at = [](const std::string& more) {
    return wells + noise + hamiltonian(0.05, 10, unadjusted + more);
  };
  CHECK(label(at("refresh_every = 10\n")) == "asymptotic");
  CHECK(label(at("persistence = 0.9\n")) == "asymptotic");
  CHECK(label(at("persistence = 1\n")) == "biased");
  // The same redraws as 100 steps in one transition.
  const Moment whole =
      second_moment(wells + noise + hamiltonian(0.05, 100, unadjusted), {4000, 15, 30});
  const Moment parts = second_moment(at("refresh_every = 10\n"), {4000, 159, 1});
  expect(parts, {whole.mean, whole.error});
}

TEST_CASE("a momentum carried through several transitions keeps the target with Metropolis") {
  const std::string body =
      "[model.m]\nuse = \"quartic\"\ndimension = 2\n" + hamiltonian(0.5, 3, "refresh_every = 4\n");
  CHECK(label(body) == "exact");
  expect(second_moment(body, {8000, 10, 50}), {0.67597824, 0.0});
}

TEST_CASE("without its estimate of the noise V = F, SGHMC is hotter by eps / 2") {
  // The total noise is F (1 + eps / 2) in a linear scheme: all covariances grow by that factor.
  constexpr double eps = 0.5;
  const std::string gaussian = "[model.m]\nuse = \"gaussian\"\ndimension = 2\n";
  const std::string run =
      friction(1.0, 0.0) + hamiltonian(eps, 10, unadjusted + "persistence = 1\n");
  const Length length{8000, 20, 60};
  const Moment calm = second_moment(gaussian + run, length);
  const Moment noisy =
      second_moment(gaussian + "[oracle.o]\nuse = \"noisy\"\nvariance = 1.0\n" + run, length);
  expect(noisy, {calm.mean * (1.0 + 0.5 * eps), calm.error * (1.0 + 0.5 * eps)});
  CHECK(noisy.error < 0.02 * noisy.mean);
}
