// Proposals whose density enters the ratio at both ends, against exact draws. Each case fails by
// chance with probability 1e-6. Their mutants are in tests/wrong/samplers.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <string>

using mixwell::contracts::check_invariance;
using sampling::all_targets;
using sampling::expect_right;
using sampling::few_targets;
using sampling::on;

namespace {

constexpr mixwell::contracts::InvarianceOptions short_test{.replicates = 8192, .sweeps = 4};

std::string kernel(const std::string& id, const std::string& keys) {
  return "[kernel.k]\nuse = \"" + id + "\"\n" + keys;
}

}  // namespace

TEST_CASE("MALA and Barker steps leave targets of three shapes invariant") {
  for (const char* id : {"mala", "barker"}) {
    for (const auto& t : few_targets()) {
      INFO(t.name << ", " << id);
      expect_right(check_invariance(on(t, kernel(id, "step_size = 0.7\n")), short_test));
    }
  }
}

TEST_CASE("MALA and Barker steps leave every target invariant", "[nightly]") {
  for (const char* id : {"mala", "barker"}) {
    for (const auto& t : all_targets()) {
      INFO(t.name << ", " << id);
      expect_right(check_invariance(
          on(t, kernel(id, "step_size = 0.8\nstep_size_jitter = [0.5, 1.5]\n")), short_test));
    }
  }
}
