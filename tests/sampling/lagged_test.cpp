// HAMCMC: pairs from the last moves of other slots are wrong, and pairs from their current values
// are right. The figures of the wrong ones come from two independent programs.
// SPDX-License-Identifier: Apache-2.0
#include "moments.hpp"

#include <string>

using sampling::expect;
using sampling::label;
using sampling::Length;
using sampling::Moment;
using sampling::second_moment;

namespace {

constexpr double exact_second_moment = 0.67597824;  ///< 2 Gamma(3/4) / Gamma(1/4)

std::string text(double x) { return std::to_string(x); }

std::string quartic(int d) {
  return "[model.m]\nuse = \"quartic\"\ndimension = " + std::to_string(d) + "\n";
}

std::string preconditioner(double gamma) {
  return "[estimator.e]\nuse = \"lbfgs\"\nregularisation = 0.5\ngamma = " + text(gamma) + "\n";
}

/// A step of Langevin dynamics with Metropolis is leapfrog's with eps_leapfrog^2 = 2 eps.
std::string metropolis(double eps) {
  return "[kernel.k]\nuse = \"hamiltonian\"\nsteps = 1\ncoupling = \"factor\"\nstep_size = " +
         text(std::sqrt(2.0 * eps)) + "\n";
}

std::string langevin(double eps) {
  return "[kernel.k]\nuse = \"langevin\"\nstep_size = " + text(eps) + "\n";
}

std::string lagged(int slots, const std::string& memory) {
  return "[compositor.c]\nuse = \"lagged\"\nslots = " + std::to_string(slots) + "\n" + memory;
}

const std::string displacements = "memory = \"displacements\"\n";
const std::string cross = "memory = \"cross\"\n";
/// Without a bound on H no limit is promised (rule B): regularisation gives one only with a Hessian
/// that is bounded below and exact gradients, which no edge shows.
const std::string limits = "eigenvalues = [0.05, 5.0]\n";

}  // namespace

TEST_CASE("displacements are biased for d = 2, as known, and Metropolis does not help",
          "[nightly]") {
  struct Case {
    double gamma;
    double eps;
    Moment known;
  };
  for (const Case& c : {Case{1.0, 0.2, {0.6665, 0.0006}}, Case{1.0, 0.05, {0.6578, 0.0005}},
                        Case{0.2, 0.2, {0.7089, 0.0009}}, Case{0.2, 0.05, {0.7169, 0.0009}},
                        Case{4.0, 0.05, {0.5992, 0.0003}}}) {
    INFO("gamma = " << c.gamma << ", eps = " << c.eps);
    const std::string body = quartic(2) + preconditioner(c.gamma) + metropolis(c.eps) +
                             lagged(2, displacements + "rejected = \"keep\"\n");
    CHECK(label(body) == "biased");
    expect(second_moment(body, {4000, 300, 300}), c.known);
  }
}

TEST_CASE("displacements without Metropolis are as biased") {
  const std::string body =
      quartic(2) + preconditioner(0.2) + langevin(0.0125) + lagged(2, displacements);
  CHECK(label(body) == "biased");
  expect(second_moment(body, {4000, 800, 600}), {0.719, 0.002});
}

TEST_CASE("in one dimension the error of displacements vanishes with eps", "[nightly]") {
  struct Case {
    double eps;
    double keep;
    double drop;
  };
  for (const Case& c : {Case{0.2, 0.707, 0.731}, Case{0.05, 0.6865, 0.702}}) {
    INFO("eps = " << c.eps);
    const std::string body =
        quartic(1) + preconditioner(1.0) + metropolis(c.eps) + lagged(2, displacements);
    CHECK(label(body) == "asymptotic");
    expect(second_moment(body + "rejected = \"drop\"\n", {8000, 300, 300}), {c.drop, 0.0015});
    expect(second_moment(body + "rejected = \"keep\"\n", {8000, 300, 300}), {c.keep, 0.0015});
  }
}

TEST_CASE("displacements are right on a Gaussian as eps vanishes") {
  const std::string gaussian =
      "[model.m]\nuse = \"gaussian\"\ndimension = 2\ncovariance = \"geometric\"\n"
      "condition = 4.0\n";
  const std::string body =
      gaussian + preconditioner(1.0) + metropolis(0.0125) + lagged(2, displacements);
  CHECK(label(body) == "asymptotic");
  const std::string exact =
      gaussian +
      "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 10\n";
  expect(second_moment(body, {4000, 800, 600}),
         second_moment(exact + "step_size = 0.3\n", {40000, 5, 50}));
}

TEST_CASE("pairs of current values of other slots are exact with Metropolis") {
  for (const double gamma : {1.0, 0.2, 4.0}) {
    INFO("gamma = " << gamma);
    const std::string body =
        quartic(2) + preconditioner(gamma) + metropolis(0.05) + lagged(3, cross);
    CHECK(label(body) == "exact");
    expect(second_moment(body, {4000, 200, 300}), {exact_second_moment, 0.0});
  }
}

TEST_CASE("pairs of current values are asymptotic without Metropolis") {
  const auto at = [](double eps) {
    return quartic(2) + preconditioner(1.0) + limits + langevin(eps) + lagged(3, cross);
  };
  CHECK(label(at(0.05)) == "asymptotic");
  CHECK(label(quartic(2) + preconditioner(1.0) + langevin(0.05) + lagged(3, cross)) == "biased");
  const Moment coarse = second_moment(at(0.05), {4000, 200, 300});
  const Moment fine = second_moment(at(0.0125), {4000, 600, 900});
  INFO("error " << coarse.mean - exact_second_moment << ", at a quarter of the step "
                << fine.mean - exact_second_moment);
  CHECK(std::abs(fine.mean - exact_second_moment) <
        0.4 * std::abs(coarse.mean - exact_second_moment) + 4.0 * (fine.error + coarse.error));
}

TEST_CASE("pairs must not share the minibatch of the drift", "[nightly]") {
  // Batches of one case out of eight: H of a batch and its gradient go together.
  const std::string model =
      "[model.m]\nuse = \"linear-gaussian\"\ndimension = 2\ncases = 8\nnoise_variance = "
      "1\nsimulate_seed = 3\n";
  const Moment truth =
      second_moment(model +
                        "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                        "\"hamiltonian\"\nsteps = 10\nstep_size = 0.2\n",
                    {20000, 5, 50});
  const auto at = [&](double eps, const std::string& shared) {
    return model + "[oracle.o]\nuse = \"minibatch\"\nsize = 1\n" + shared + preconditioner(1.0) +
           limits + langevin(eps) + lagged(3, cross);
  };
  CHECK(label(at(0.02, "")) == "asymptotic");
  const mixwell::Verdict shared_noise = composing::verdict(at(0.02, "shared = true\n"));
  CHECK(shared_noise.label() == "biased");
  CHECK(shared_noise.rule == mixwell::Rule::noise);
  const auto error = [&](double eps, const std::string& shared) {
    const auto sweeps = static_cast<std::int64_t>(5 / eps);
    const Moment found = second_moment(at(eps, shared), {2000, sweeps, sweeps});
    return Moment{found.mean - truth.mean, std::hypot(found.error, truth.error)};
  };
  const Moment coarse = error(0.01, "");
  const Moment fine = error(0.0025, "");
  INFO("own: " << coarse.mean << " +- " << coarse.error << ", " << fine.mean << " +- "
               << fine.error);
  CHECK(std::abs(fine.mean) < 0.3 * std::abs(coarse.mean));
  const Moment shared = error(0.0025, "shared = true\n");
  INFO("shared: " << shared.mean << " +- " << shared.error);
  CHECK(shared.mean > 0.3 + 4.0 * shared.error);
}

TEST_CASE("cross pairs want two other slots") {
  CHECK_THROWS_AS(
      composing::compose(quartic(2) + preconditioner(1.0) + langevin(0.1) + lagged(2, cross)),
      mixwell::InputError);
}
