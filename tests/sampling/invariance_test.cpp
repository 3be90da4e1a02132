// Compositions against their exact draws: right ones stay, wrong twins are caught.
// Each right case fails by chance with probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/laws/invariance.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using mixwell::laws::all_hold;
using mixwell::laws::check_invariance;
using mixwell::laws::Findings;
using mixwell::laws::report;

namespace {

/// eps is large: 0.6 to 0.8 of leapfrog's stability limit, so that every mistake shows.
struct Target {
  const char* name;
  const char* model;
  double eps;
};

/// One test for right and wrong alike: 32768 replicates, 10 sweeps.
constexpr mixwell::laws::InvarianceOptions kTest{.replicates = 32768, .sweeps = 10};

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {
      {"identity Gaussian", "use = \"gaussian\"\ndimension = 2\n", 1.3},
      {"shifted diagonal Gaussian",
       "use = \"gaussian\"\ndimension = 3\nmean = [1, -2, 3]\ncovariance = \"diagonal\"\n"
       "variances = [1, 4, 0.5]\n",
       1.1},
      {"ones-plus Gaussian, d = 10",
       "use = \"gaussian\"\ndimension = 10\ncovariance = \"ones-plus\"\nc = 4.0\n", 2.6},
      {"geometric Gaussian",
       "use = \"gaussian\"\ndimension = 4\ncovariance = \"geometric\"\n"
       "condition = 25.0\n",
       0.3},
      {"quartic, d = 1", "use = \"quartic\"\ndimension = 1\n", 0.9},
      {"quartic, d = 2", "use = \"quartic\"\ndimension = 2\n", 0.9},
      {"double well", "use = \"double-well\"\ndimension = 2\n", 0.4},
  };
  return all;
}

mixwell::Composition on(const Target& target, const std::string& rest) {
  return composing::compose("[model.target]\n" + std::string(target.model) + rest);
}

std::string hamiltonian(double eps, const std::string& more) {
  return "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = " + std::to_string(eps) + "\n" + more;
}

std::string wrong(double eps, const std::string& mistake) {
  return "[kernel.hmc]\nuse = \"wrong-hamiltonian\"\nstep_size = " + std::to_string(eps) +
         "\nmistake = \"" + mistake + "\"\n";
}

void expect_right(const Findings& findings) {
  INFO(report(findings));
  CHECK(all_hold(findings));
}

void expect_caught(const Findings& findings) {
  INFO(report(findings));
  CHECK_FALSE(all_hold(findings));
}

}  // namespace

TEST_CASE("Hamiltonian Monte Carlo leaves every simulated target invariant") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_right(check_invariance(on(t, hamiltonian(t.eps, "steps = 5\n")), kTest));
  }
}

TEST_CASE("jittered steps and step sizes leave every simulated target invariant") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_right(check_invariance(
        on(t, hamiltonian(t.eps, "steps_jitter = [1, 7]\nstep_size_jitter = [0.5, 1.0]\n")),
        kTest));
  }
}

TEST_CASE("a step size learnt in warm-up and then frozen leaves the target invariant") {
  for (const char* pool : {"pool = false\n", "pool = true\n"}) {
    for (const Target& t : targets()) {
      INFO(t.name << " " << pool);
      const auto composition =
          on(t, hamiltonian(t.eps, "steps = 4\ntarget_acceptance = 0.7\n" + std::string(pool)));
      expect_right(check_invariance(composition, {.replicates = 4096, .sweeps = 4, .warmup = 60}));
    }
  }
}

TEST_CASE("the right twin of the wrong kernels passes the same test") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_right(check_invariance(on(t, wrong(t.eps, "none")), kTest));
  }
}

TEST_CASE("Hamiltonian Monte Carlo without Metropolis at a large step is caught") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_caught(
        check_invariance(on(t, hamiltonian(t.eps, "steps = 5\nmetropolis = false\n")), kTest));
  }
}

TEST_CASE("a forgotten half-step is caught") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_caught(check_invariance(
        on(t, "[integrator.wrong]\nuse = \"wrong-leapfrog\"\n" + hamiltonian(t.eps, "steps = 5\n")),
        kTest));
  }
}

TEST_CASE("a wrong acceptance sign is caught") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong(t.eps, "acceptance-sign")), kTest));
  }
}

TEST_CASE("a kinetic energy taken at the start alone is caught") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong(t.eps, "kinetic-energy-of-start")), kTest));
  }
}

TEST_CASE("a momentum that is never redrawn is caught") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong(t.eps, "momentum-never-redrawn")), kTest));
  }
}
