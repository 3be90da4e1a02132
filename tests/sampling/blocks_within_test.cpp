// The kernel `blocks` within ensembles, tempering, cycles and mixtures, against exact draws.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/verify.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::Target;
using sampling::usual_test;

namespace {

const Target correlated = {
    "ones-plus Gaussian",
    "use = \"gaussian\"\ndimension = 5\ncovariance = \"ones-plus\"\nc = 0.25\n", 0.0};
const Target wells = {"double well", "use = \"double-well\"\ndimension = 2\n", 0.0};

/// Two overlapping updates, or two apart.
std::string blocks(const std::string& keys, const std::string& first, const std::string& second) {
  return "[estimator.identity]\nuse = \"identity\"\n"
         "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.4\nsteps = 3\n"
         "[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 0.6\n"
         "[kernel.b]\nuse = \"blocks\"\n" +
         keys + "[[kernel.b.update]]\nparameters = [\"" + first +
         "\"]\nkernel = \"hmc\"\n[[kernel.b.update]]\nparameters = [\"" + second +
         "\"]\nkernel = \"walk\"\n[compositor.c]\n";
}

const std::string within[] = {
    "use = \"cycle\"\nkernels = [\"b\", \"walk\"]\n",
    "use = \"mixture\"\nkernels = [\"walk\", \"b\"]\nweights = [1, 3]\n",
    "use = \"ensemble-chain\"\nkernel = \"b\"\nslots = 2\n",
    "use = \"tempering\"\nkernel = \"b\"\ninverse_temperatures = [1, 0.6, 0.3]\n",
};

contracts::Findings check(const Target& target, const std::string& body) {
  return contracts::check_invariance(sampling::on(target, body), usual_test);
}

}  // namespace

TEST_CASE("overlapping blocks within cycles, mixtures and ensembles keep a correlated Gaussian") {
  for (int k = 0; k < 3; ++k) {
    INFO(within[k]);
    expect_right(check(correlated, blocks("", "x[0:3]", "x[2:]") + within[k]));
  }
}

/// Hot copies are drawn from a grid, in two dimensions.
TEST_CASE("blocks by chance, in tempering too, keep a law of two modes") {
  for (const std::string& compositor : within) {
    INFO(compositor);
    expect_right(check(wells, blocks("scan = \"random\"\n", "x[0]", "x[1:]") + compositor));
  }
}

TEST_CASE("simultaneous blocks within a cycle and an ensemble are caught") {
  for (const int k : {0, 2}) {
    INFO(within[k]);
    expect_caught(
        check(correlated, blocks("scan = \"simultaneous\"\n", "x[0:2]", "x[2:]") + within[k]));
  }
}

TEST_CASE("verify cuts its targets into blocks, and sees there what a model's own law hides") {
  const auto verified = [](const std::string& keys) {
    const std::string apart = "[model.m]\nuse = \"gaussian\"\ndimension = 4\n" +
                              blocks(keys, "x[0:2]", "x[2:]") + "use = \"chain\"\nkernel = \"b\"\n";
    return verify(composing::compose(apart), "test.toml", composing::registry(), {.budget = 4e5});
  };
  const Verification right = verified("");
  CHECK(right.tested == "exact");
  CHECK(right.targets.size() == verify_targets().size());
  for (const VerifiedTarget& target : right.targets) {
    INFO(target.name);
    CHECK(target.skipped.empty());
  }
  const Verification wrong = verified("scan = \"simultaneous\"\n");
  CHECK(wrong.tested == "biased");
  CHECK(wrong.agrees);
  REQUIRE_FALSE(wrong.tests.empty());
  CHECK(wrong.tests.back().failed);
  CHECK(wrong.tests.back().target != "own");
}
