// Delayed acceptance against exact draws.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <string>

using mixwell::contracts::check_invariance;
using mixwell::contracts::InvarianceOptions;
using sampling::expect_right;
using sampling::Target;
using sampling::usual_test;

namespace {

std::string late(const std::string& stages, const std::string& law) {
  return "[oracle.exact]\nuse = \"exact\"\n[estimator.identity]\nuse = \"identity\"\n" + law +
         "[kernel.walk]\nuse = \"random-walk-metropolis\"\noracle = \"exact\"\nstep_size = 0.8\n"
         "[kernel.hmc]\nuse = \"hamiltonian\"\noracle = \"exact\"\nstep_size = 0.3\nsteps = 3\n"
         "[kernel.late]\nuse = \"delayed-acceptance\"\noracle = \"V\"\nkernels = " +
         stages + "\n[compositor.c]\nuse = \"chain\"\nkernel = \"late\"\n";
}

const std::string flat = "[oracle.V]\nuse = \"tempered\"\nbeta = 0.4\n";
const Target banana = {"banana", "use = \"banana\"\n", 0.0};

}  // namespace

TEST_CASE("proposals by a flatter law keep light and curved targets") {
  for (const char* stages : {R"(["walk", "walk"])", R"(["walk", "hmc", "walk"])"}) {
    for (const Target& target : {sampling::targets()[5], banana}) {
      INFO(stages << " on " << target.name);
      expect_right(check_invariance(sampling::on(target, late(stages, flat)), usual_test));
    }
  }
}

TEST_CASE("one minibatch for both stages keeps the posterior of a regression") {
  const Target regression = {
      "regression",
      "use = \"linear-gaussian\"\ndimension = 2\ncases = 40\nnoise_variance = 1\nsimulate_seed = "
      "3\n",
      0.0};
  const std::string some = "[oracle.V]\nuse = \"minibatch\"\nsize = 20\n";
  expect_right(check_invariance(sampling::on(regression, late(R"(["walk"])", some)), usual_test));
}

TEST_CASE("a surrogate that was fitted in warm-up keeps the double well") {
  const std::string surrogate =
      "[estimator.network]\nuse = \"elm-surrogate\"\nnodes = 20\n[oracle.V]\nuse = "
      "\"surrogate\"\ntransition = 50\n";
  const Target well = {"double well", "use = \"double-well\"\na = 0.5\nb = 0.25\ndimension = 2\n",
                       0.0};
  const InvarianceOptions options{.replicates = 2048, .sweeps = 5, .warmup = 200};
  expect_right(check_invariance(sampling::on(well, late(R"(["hmc"])", surrogate)), options));
}

TEST_CASE("delayed acceptance with a mistake is caught") {
  // Two others are off by less: `mixwell verify` sees them (tests/wrong/mutants.toml).
  for (const char* mistake : {"own-fit", "ratio-without-stages"}) {
    INFO(mistake);
    sampling::expect_caught(check_invariance(
        sampling::on(banana, std::string("[kernel.k]\nuse = \"wrong-delayed\"\nmistake = \"") +
                                 mistake + "\"\n"),
        usual_test));
  }
  expect_right(
      check_invariance(sampling::on(banana, "[kernel.k]\nuse = \"wrong-delayed\"\n"), usual_test));
}
