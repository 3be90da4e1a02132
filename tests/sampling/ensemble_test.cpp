// Ensembles whose slots fit their preconditioners to one another, against exact draws. Right
// schedules stay at equilibrium, and wrong ones are detected. Each right case fails by chance with
// probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <string>

using mixwell::contracts::check_invariance;
using sampling::all_targets;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::few_targets;
using sampling::Target;

namespace {

constexpr mixwell::contracts::InvarianceOptions short_test{.replicates = 8192, .sweeps = 4};

mixwell::Composition ensemble(const Target& target, const std::string& kernel,
                              const std::string& compositor) {
  return sampling::on(target, "[estimator.bfgs]\nuse = \"product-form\"\n[kernel.k]\n" + kernel +
                                  "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 4\n" +
                                  compositor);
}

std::string hamiltonian(const std::string& coupling) {
  return "use = \"hamiltonian\"\nsteps_jitter = [1, 4]\nstep_size = 0.6\ncoupling = \"" + coupling +
         "\"\n";
}

std::string label(const mixwell::Composition& composition) {
  return mixwell::compose(*composition.compositor).certificate.now.label();
}

const Target& quartic() {
  static const Target target{"quartic, d = 2", "use = \"quartic\"\ndimension = 2\n", 0.0};
  return target;
}

void expect_fits_right(const std::vector<Target>& targets) {
  for (const char* schedule : {"sequential", "two-groups"}) {
    for (const char* coupling : {"mass", "symmetric", "factor"}) {
      for (const Target& t : targets) {
        INFO(t.name << ", " << schedule << ", " << coupling);
        const auto composition =
            ensemble(t, hamiltonian(coupling), "schedule = \"" + std::string(schedule) + "\"\n");
        CHECK(label(composition) == "exact");
        expect_right(check_invariance(composition, short_test));
      }
    }
  }
}

void expect_others_right(const std::vector<Target>& targets) {
  for (const char* kernel : {"use = \"nuts\"\nlearn_step_size = false\nstep_size = 0.6\n",
                             "use = \"random-walk-metropolis\"\nstep_size = 0.8\n"}) {
    for (const Target& t : targets) {
      INFO(t.name << ", " << kernel);
      const auto composition = ensemble(t, kernel, "");
      CHECK(label(composition) == "exact");
      expect_right(check_invariance(composition, short_test));
    }
  }
}

}  // namespace

TEST_CASE("preconditioner fitted to the other slots leaves targets of three shapes invariant",
          "[nightly]") {
  expect_fits_right(few_targets());
}

TEST_CASE("preconditioner fitted to the other slots leaves every target invariant", "[nightly]") {
  expect_fits_right(all_targets());
}

TEST_CASE("other kernels of slots fitted to the others leave targets of three shapes invariant",
          "[nightly]") {
  expect_others_right(few_targets());
}

TEST_CASE("no-U-turn and random-walk slots fitted to the others leave every target invariant",
          "[nightly]") {
  expect_others_right(all_targets());
}

TEST_CASE("slots updated all at once from old values are caught by test and certificate",
          "[nightly]") {
  const Target target{"quartic, d = 1", "use = \"quartic\"\ndimension = 1\n", 0.0};
  const std::string kernel =
      "use = \"hamiltonian\"\ncoupling = \"symmetric\"\nsteps = 4\nstep_size = 0.25\n";
  const mixwell::contracts::InvarianceOptions options{.replicates = 16384, .sweeps = 60};
  const auto right = ensemble(target, kernel, "");
  CHECK(label(right) == "exact");
  expect_right(check_invariance(right, options));
  const auto wrong = ensemble(target, kernel, "schedule = \"simultaneous\"\n");
  CHECK(label(wrong) == "biased");
  expect_caught(check_invariance(wrong, options));
}

TEST_CASE("a memory that holds the updated slot is caught by test and certificate") {
  const auto composition = ensemble(quartic(), hamiltonian("mass"), "memory = \"all\"\n");
  CHECK(label(composition) == "biased");
  expect_caught(check_invariance(composition, {.replicates = 16384, .sweeps = 30}));
}
