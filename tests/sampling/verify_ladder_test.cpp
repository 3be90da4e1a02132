// mixwell verify on schemes without Metropolis, with several step sizes.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/verify.hpp>

#include <catch2/catch.hpp>

#include <string>

TEST_CASE("where a carried momentum is redrawn by single steps, redraws grow rarer with eps",
          "[nightly]") {
  const std::string sghmc =
      "[model.m]\nuse = \"quartic\"\ndimension = 2\n"
      "[integrator.i]\nuse = \"euler-maruyama-friction\"\nfriction = 1.0\n"
      "[oracle.o]\nuse = \"noisy\"\n[kernel.k]\nuse = \"hamiltonian\"\nmetropolis = false\n"
      "step_size = 0.1\nsteps = 1\n";
  for (const char* redraws : {"refresh_every = 3\n", "persistence = 0.6\n"}) {
    INFO(redraws);
    const mixwell::Verification found = mixwell::verify(
        composing::compose(sghmc + redraws), "test.toml", composing::registry(), {.budget = 2e6});
    CHECK(found.certificate.now.label() == "asymptotic");
    CHECK(found.tested == "asymptotic");
    CHECK(found.agrees);
  }
}
