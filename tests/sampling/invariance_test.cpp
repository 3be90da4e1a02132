// Compositions against their exact draws: right ones stay at equilibrium, mutants are detected.
// Each right case fails by chance with probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <string>

using mixwell::contracts::check_invariance;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::few_targets;
using sampling::on;
using sampling::Target;
using sampling::targets;
using sampling::usual_test;

namespace {

std::string hamiltonian(double eps, const std::string& more) {
  return "[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size "
         "= " +
         std::to_string(eps) + "\n" + more;
}

std::string wrong(double eps, const std::string& mistake) {
  return "[kernel.hmc]\nuse = \"wrong-hamiltonian\"\nstep_size = " + std::to_string(eps) +
         "\nmistake = \"" + mistake + "\"\n";
}

}  // namespace

TEST_CASE("Hamiltonian Monte Carlo leaves every simulated target invariant") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_right(check_invariance(on(t, hamiltonian(t.eps, "steps = 5\n")), usual_test));
  }
}

TEST_CASE("jittered steps and step sizes leave targets of three shapes invariant") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_right(check_invariance(
        on(t, hamiltonian(t.eps, "steps_jitter = [1, 7]\nstep_size_jitter = [0.5, 1.0]\n")),
        usual_test));
  }
}

TEST_CASE("a step size learnt in warm-up and then frozen leaves the target invariant") {
  for (const char* pool : {"pool = false\n", "pool = true\n"}) {
    for (const Target& t : few_targets()) {
      INFO(t.name << " " << pool);
      const auto composition =
          on(t, hamiltonian(t.eps, "steps = 4\ntarget_acceptance = 0.7\n" + std::string(pool)));
      expect_right(check_invariance(composition, {.replicates = 4096, .sweeps = 4, .warmup = 60}));
    }
  }
}

TEST_CASE("the right version of the wrong kernels passes the same test") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_right(check_invariance(on(t, wrong(t.eps, "none")), usual_test));
  }
}

TEST_CASE("Hamiltonian Monte Carlo without Metropolis at a large step is caught") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_caught(
        check_invariance(on(t, hamiltonian(t.eps, "steps = 5\nmetropolis = false\n")), usual_test));
  }
}

TEST_CASE("a forgotten half-step is caught") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_caught(check_invariance(
        on(t, "[integrator.wrong]\nuse = \"wrong-leapfrog\"\n" + hamiltonian(t.eps, "steps = 5\n")),
        usual_test));
  }
}

TEST_CASE("a wrong acceptance sign is caught") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong(t.eps, "acceptance-sign")), usual_test));
  }
}

TEST_CASE("a kinetic energy taken at the start alone is caught") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong(t.eps, "kinetic-energy-of-start")), usual_test));
  }
}

TEST_CASE("a momentum that is never redrawn is caught") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong(t.eps, "momentum-never-redrawn")), usual_test));
  }
}
