// The baselines against exact draws: no-U-turn, random walk, cycles, mixtures and a learnt
// preconditioner, and mutants of each. Each right case fails by chance with probability 1e-6.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <string>

using mixwell::contracts::check_invariance;
using sampling::all_targets;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::few_targets;
using sampling::fine_test;
using sampling::on;
using sampling::Target;
using sampling::targets;
using sampling::usual_test;

namespace {

std::string nuts(double eps, const std::string& more = "") {
  return "[estimator.identity]\nuse = \"identity\"\n[kernel.nuts]\nuse = \"nuts\"\nlearn_step_size "
         "= false\nstep_size = " +
         std::to_string(eps) + "\n" + more;
}

std::string walk(double eps, const std::string& more = "") {
  return "[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = " + std::to_string(eps) +
         "\n" + more;
}

std::string estimator(const char* id, bool pool) {
  return "[estimator.metric]\nuse = \"" + std::string(id) +
         "\"\npool = " + (pool ? "true\n" : "false\n");
}

std::string wrong_nuts(double eps, const std::string& mistake) {
  return "[kernel.nuts]\nuse = \"wrong-nuts\"\nstep_size = " + std::to_string(eps) +
         "\nmistake = \"" + mistake + "\"\n";
}

void expect_nuts_right(const std::vector<Target>& targets) {
  for (const Target& t : targets) {
    for (const double share : {1.0, 0.3}) {
      INFO(t.name << ", eps times " << share);
      expect_right(check_invariance(on(t, nuts(share * t.eps)), fine_test));
    }
  }
}

void expect_compositors_right(const std::vector<Target>& targets) {
  for (const Target& t : targets) {
    INFO(t.name);
    const std::string kernels = nuts(t.eps) + walk(t.eps) +
                                "[kernel.hmc]\nuse = "
                                "\"hamiltonian\"\nsteps = 3\nstep_size = " +
                                std::to_string(t.eps) + "\n";
    expect_right(
        check_invariance(on(t, kernels + "[compositor.c]\nuse = \"cycle\"\n"
                                         "kernels = [\"walk\", \"nuts\", \"walk\", \"hmc\"]\n"),
                         usual_test));
    expect_right(check_invariance(
        on(t, kernels + "[compositor.c]\nuse = \"mixture\"\n"
                        "kernels = [\"walk\", \"nuts\", \"hmc\"]\nweights = [2, 1, 0.5]\n"),
        usual_test));
  }
}

}  // namespace

TEST_CASE("the no-U-turn sampler leaves targets of three shapes invariant") {
  expect_nuts_right(few_targets());
}

TEST_CASE("the no-U-turn sampler leaves every simulated target invariant", "[nightly]") {
  expect_nuts_right(all_targets());
}

TEST_CASE("a no-U-turn sampler stopped by max_depth leaves the target invariant", "[nightly]") {
  for (const Target& t : all_targets()) {
    INFO(t.name);
    expect_right(check_invariance(on(t, nuts(0.2 * t.eps, "max_depth = 2\n")), fine_test));
  }
}

TEST_CASE("jittered steps of the no-U-turn sampler leave the target invariant", "[nightly]") {
  for (const Target& t : all_targets()) {
    INFO(t.name);
    expect_right(
        check_invariance(on(t, nuts(t.eps, "step_size_jitter = [0.4, 1.0]\n")), fine_test));
  }
}

TEST_CASE("preconditioner learnt in warm-up and then frozen leaves the target invariant",
          "[nightly]") {
  for (const char* id : {"diagonal", "dense"}) {
    for (const bool pool : {false, true}) {
      for (const Target& t : all_targets()) {
        INFO(t.name << ", " << id << ", pool " << pool);
        const mixwell::contracts::InvarianceOptions options{
            .replicates = 4096, .sweeps = 4, .warmup = 60};
        expect_right(
            check_invariance(on(t, estimator(id, pool) + "[kernel.k]\nuse = \"nuts\"\n"), options));
        expect_right(check_invariance(
            on(t, estimator(id, pool) + "[kernel.k]\nuse = \"hamiltonian\"\nsteps_jitter = [1, "
                                        "5]\ntarget_acceptance = 0.7\n"),
            options));
        expect_right(check_invariance(
            on(t, estimator(id, pool) +
                      "[kernel.k]\nuse = \"random-walk-metropolis\"\ntarget_acceptance = 0.3\n"),
            options));
      }
    }
  }
}

TEST_CASE("random-walk Metropolis leaves every simulated target invariant") {
  for (const Target& t : all_targets()) {
    INFO(t.name);
    expect_right(check_invariance(on(t, walk(t.eps)), usual_test));
  }
}

TEST_CASE("cycles and mixtures of kernels leave targets of three shapes invariant") {
  expect_compositors_right(few_targets());
}

TEST_CASE("cycles and mixtures of kernels leave every simulated target invariant", "[nightly]") {
  expect_compositors_right(all_targets());
}

TEST_CASE("one wrong part of a mixture or a cycle is caught", "[nightly]") {
  for (const char* compositor : {"mixture", "cycle"}) {
    for (const Target& t : few_targets()) {
      INFO(t.name << ", " << compositor);
      expect_caught(
          check_invariance(on(t, walk(t.eps) +
                                     "[kernel.wrong]\nuse = \"wrong-hamiltonian\"\nmistake = "
                                     "\"acceptance-sign\"\nstep_size = " +
                                     std::to_string(t.eps) + "\n[compositor.c]\nuse = \"" +
                                     compositor + "\"\nkernels = [\"walk\", \"wrong\"]\n"),
                           usual_test));
    }
  }
}

TEST_CASE("a second, recursive no-U-turn sampler passes the same test", "[nightly]") {
  for (const Target& t : targets()) {
    for (const double share : {1.0, 0.3}) {
      INFO(t.name << ", eps times " << share);
      expect_right(check_invariance(on(t, wrong_nuts(share * t.eps, "none")), fine_test));
    }
  }
}

TEST_CASE("biased sampling inside the tree is caught", "[nightly]") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong_nuts(t.eps, "biased-subtrees")), fine_test));
  }
}

TEST_CASE("a U-turn test on the whole trajectory alone is caught", "[nightly]") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong_nuts(0.3 * t.eps, "no-subtree-checks")), fine_test));
  }
}

TEST_CASE("a U-turn test on positions alone is caught", "[nightly]") {
  for (const Target& t : targets()) {
    INFO(t.name);
    expect_caught(check_invariance(on(t, wrong_nuts(0.3 * t.eps, "positions-only")), fine_test));
  }
}

TEST_CASE("adaptation that never freezes is caught by the test and by the certificate",
          "[nightly]") {
  for (const Target& t : few_targets()) {
    INFO(t.name);
    const mixwell::contracts::InvarianceOptions options{
        .replicates = 16384, .sweeps = 100, .warmup = 20};
    expect_right(
        check_invariance(on(t, "[kernel.k]\nuse = \"restless-walk\"\ngain = 0\n"), options));
    expect_caught(check_invariance(on(t, "[kernel.k]\nuse = \"restless-walk\"\n"), options));
    const auto honest = on(t, "[kernel.k]\nuse = \"restless-walk\"\nconfess = true\n");
    CHECK(mixwell::compose(*honest.compositor).certificate.now.label() == "biased");
  }
}
