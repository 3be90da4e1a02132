// Gaussian proposals from a preconditioner, against exact draws: with the point's own curvature,
// without it, and with wrong ratios. Each right case fails by chance with probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <string>

using mixwell::contracts::check_invariance;
using sampling::all_targets;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::few_targets;
using sampling::on;
using sampling::Target;
using sampling::usual_test;

namespace {

constexpr mixwell::contracts::InvarianceOptions short_test{.replicates = 8192, .sweeps = 4};

mixwell::Composition ensemble(const Target& target, const std::string& estimator,
                              const std::string& kernel) {
  return on(target, "[estimator.e]\nuse = \"" + estimator + "\"\n[kernel.k]\n" + kernel +
                        "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 4\n");
}

const Target& quartic() {
  static const Target target{"quartic, d = 2", "use = \"quartic\"\ndimension = 2\n", 0.0};
  return target;
}

/// Many sweeps with a large step: H at theta and at theta* differ much.
mixwell::contracts::Findings mutant(const std::string& mistake) {
  return check_invariance(ensemble(quartic(), "bfgs",
                                   "use = \"wrong-metropolis-gaussian\"\nstep_size = 0.8\n"
                                   "mistake = \"" +
                                       mistake + "\"\n"),
                          {.replicates = 16384, .sweeps = 10});
}

}  // namespace

TEST_CASE("Gaussian proposals from fitted preconditioner leave every target invariant",
          "[nightly]") {
  for (const char* own : {"own = true\n", "own = false\n"}) {
    for (const char* estimator : {"bfgs", "lbfgs", "product-form"}) {
      for (const Target& t : all_targets()) {
        INFO(t.name << ", " << estimator << ", " << own);
        expect_right(check_invariance(
            ensemble(t, estimator,
                     "use = \"metropolis-gaussian\"\nstep_size = 0.8\n" + std::string(own)),
            short_test));
      }
    }
  }
}

TEST_CASE("every mean of a Gaussian proposal leaves every target invariant", "[nightly]") {
  for (const char* mean : {"mean = \"current\"\n", "mean = \"slot\"\nstep_size_jitter = [1, 2]\n",
                           "newton_factor = 0.7\nstep_size_jitter = [0.5, 1]\n"}) {
    for (const Target& t : all_targets()) {
      INFO(t.name << ", " << mean);
      expect_right(check_invariance(
          ensemble(t, "product-form", "use = \"metropolis-gaussian\"\n" + std::string(mean)),
          short_test));
    }
  }
}

TEST_CASE("Langevin steps of a single chain leave targets of three shapes invariant") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_right(check_invariance(
        on(t, "[kernel.k]\nuse = \"metropolis-gaussian\"\nstep_size = " + std::to_string(t.eps)),
        usual_test));
  }
}

TEST_CASE(
    "preconditioner learnt in warm-up shapes Gaussian proposals that leave targets invariant") {
  for (const char* id : {"diagonal", "dense"}) {
    for (const char* pool : {"pool = false\n", "pool = true\n"}) {
      for (const Target& t : few_targets()) {
        INFO(t.name << ", " << id << ", " << pool);
        expect_right(check_invariance(
            on(t, "[estimator.e]\nuse = \"" + std::string(id) + "\"\n" + pool +
                      "[kernel.k]\nuse = \"metropolis-gaussian\"\ntarget_acceptance = 0.6\n"),
            {.replicates = 4096, .sweeps = 4, .warmup = 60}));
      }
    }
  }
}

TEST_CASE("the right version of the wrong Gaussian proposals passes their test") {
  expect_right(mutant("none"));
}

TEST_CASE("a ratio of Gaussian proposals without determinants is caught") {
  expect_caught(mutant("no-determinants"));
}

TEST_CASE("a ratio of Gaussian proposals without the reverse density is caught") {
  expect_caught(mutant("no-reverse-density"));
}

TEST_CASE("a reverse density with the preconditioner of the start is caught") {
  expect_caught(mutant("reverse-with-forward-curvature"));
}
