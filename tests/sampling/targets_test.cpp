// The targets of difficult shape: Hamiltonian Monte Carlo leaves them invariant, and the same
// without Metropolis does not. Each right case fails by chance with probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <string>

using sampling::expect_caught;
using sampling::expect_right;

namespace {

mixwell::contracts::Findings tested(const sampling::Target& target, const std::string& more) {
  const std::string kernel =
      "[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = \"hamiltonian\"\nsteps_jitter "
      "= [1, 7]\nstep_size = ";
  return mixwell::contracts::check_invariance(
      sampling::on(target, kernel + std::to_string(target.eps) + "\n" + more),
      sampling::usual_test);
}

}  // namespace

TEST_CASE("Hamiltonian Monte Carlo leaves targets of difficult shape invariant", "[nightly]") {
  for (const sampling::Target& target : sampling::difficult_targets()) {
    INFO(target.name);
    expect_right(tested(target, ""));
  }
}

TEST_CASE("Hamiltonian Monte Carlo without Metropolis is caught on targets of difficult shape",
          "[nightly]") {
  for (const sampling::Target& target : sampling::difficult_targets()) {
    INFO(target.name);
    expect_caught(tested(target, "metropolis = false\n"));
  }
}
