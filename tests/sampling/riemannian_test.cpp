// A position-dependent metric as the mass matrix, against exact draws, and its mutants. Each right
// case fails by chance with probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <string>
#include <vector>

using mixwell::contracts::check_invariance;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::fine_test;
using sampling::on;
using sampling::Target;

namespace {

constexpr mixwell::contracts::InvarianceOptions short_test{.replicates = 16384, .sweeps = 6};

/// Models that offer a metric; eps is large for each.
const std::vector<Target>& with_metric() {
  static const std::vector<Target> all = {
      {"quartic, d = 1", "use = \"quartic\"\ndimension = 1\n", 0.4},
      {"quartic, d = 2", "use = \"quartic\"\ndimension = 2\n", 0.4},
      {"banana", "use = \"banana\"\n", 0.8},
      {"two bananas",
       "use = \"banana\"\ndimension = 4\nscale = 2\ncurvature = -0.2\nvariance = 1\n", 0.8},
      {"funnel", "use = \"funnel\"\ndimension = 3\nscale = 1\n", 0.4},
      {"shifted diagonal Gaussian",
       "use = \"gaussian\"\ndimension = 3\nmean = [1, -2, 3]\ncovariance = \"diagonal\"\n"
       "variances = [1, 4, 0.5]\n",
       1.3},
      {"ones-plus Gaussian",
       "use = \"gaussian\"\ndimension = 4\ncovariance = \"ones-plus\"\nc = 0.1\n", 1.3},
  };
  return all;
}

std::string riemannian(double eps, const std::string& more) {
  return "[kernel.k]\nuse = \"riemannian\"\nstep_size = " + std::to_string(eps) + "\n" + more;
}

mixwell::contracts::Findings mutant(const std::string& mistake) {
  const Target quartic{"", "use = \"quartic\"\ndimension = 2\n", 0.0};
  return check_invariance(
      on(quartic, "[kernel.k]\nuse = \"wrong-riemannian\"\nstep_size = 0.5\nmistake = \"" +
                      mistake + "\"\n"),
      fine_test);
}

void expect_right_with(double share) {
  for (const Target& t : with_metric()) {
    INFO(t.name << ", eps times " << share);
    expect_right(check_invariance(on(t, riemannian(share * t.eps, "steps = 4\n")), short_test));
  }
}

}  // namespace

TEST_CASE("a metric as the mass leaves every target invariant", "[nightly]") {
  expect_right_with(1.0);
}

TEST_CASE("a metric as the mass leaves every target invariant at smaller steps", "[nightly]") {
  expect_right_with(0.4);
}

TEST_CASE("a metric as the mass with jittered steps leaves every target invariant", "[nightly]") {
  for (const Target& t : with_metric()) {
    INFO(t.name);
    expect_right(check_invariance(
        on(t, riemannian(t.eps, "steps_jitter = [1, 5]\nstep_size_jitter = [0.5, 1]\n")),
        short_test));
  }
}

TEST_CASE("a metric as the mass with a learnt step size leaves every target invariant",
          "[nightly]") {
  for (const Target& t : with_metric()) {
    INFO(t.name);
    expect_right(check_invariance(on(t, riemannian(0.2, "steps = 3\ntarget_acceptance = 0.8\n")),
                                  {.replicates = 4096, .sweeps = 4, .warmup = 60}));
  }
}

TEST_CASE("the right version of the wrong metrics passes their test", "[nightly]") {
  expect_right(mutant("none"));
}

TEST_CASE("a kinetic energy without the determinant of its metric is caught", "[nightly]") {
  expect_caught(mutant("no-determinant"));
}

TEST_CASE("an explicit leapfrog with a mass that depends on the position is caught") {
  expect_caught(mutant("explicit-steps"));
}

TEST_CASE("implicit steps that are not solved are caught", "[nightly]") {
  expect_caught(mutant("not-converged"));
}
