// mixwell verify on right and wrong compositions.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/stop_request.hpp>
#include <mixwell/lab/verify.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

using namespace mixwell;

namespace {

const std::string model_table = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";
const std::string trajectory_table =
    "[kernel.k]\nuse = \"hamiltonian\"\nstep_size = "
    "0.4\nsteps = 4\n";
const std::string hmc_table = "[estimator.identity]\nuse = \"identity\"\n" + trajectory_table;

Verification verified(const std::string& body, VerifySettings settings = {.budget = 2e6}) {
  return verify(composing::compose(body), "test.toml", composing::registry(), settings);
}

bool failed(const Verification& found) {
  return std::any_of(found.tests.begin(), found.tests.end(),
                     [](const VerifiedStatistic& s) { return s.failed; });
}

}  // namespace

TEST_CASE("an exact composition passes, moves, and agrees with its certificate", "[slow]") {
  const Verification found = verified(model_table + hmc_table);
  CHECK(found.tested == "exact");
  CHECK(found.conclusive);
  CHECK(found.agrees);
  CHECK(found.mobile);
  CHECK_FALSE(failed(found));
  CHECK(found.targets.size() == verify_targets().size());
  CHECK(found.smallest_visible_bias > 0.0);
  CHECK(found.smallest_visible_bias < 0.5);
  CHECK(found.tests.size() == found.targets.size());
}

TEST_CASE("the outcome of verify is the same twice, and another seed's alike", "[nightly]") {
  VerifySettings settings{.budget = 2e6};
  settings.targets = {"quartic", "banana"};
  const Verification once = verified(model_table + hmc_table, settings);
  const Verification again = verified(model_table + hmc_table, settings);
  REQUIRE(once.tests.size() == again.tests.size());
  for (std::size_t k = 0; k < once.tests.size(); ++k) CHECK(once.tests[k].z == again.tests[k].z);
  CHECK(verified("[run]\nseed = 77\n" + model_table + hmc_table, settings).agrees);
}

TEST_CASE("a request to stop ends the tests of single operations, too") {
  StopRequest stop;
  stop.make();
  const Verification found = verified(model_table + hmc_table, {.stop = &stop});
  CHECK(found.operations.empty());
  CHECK(found.targets.empty());
  CHECK(found.tested == "untested");
  CHECK_FALSE(found.conclusive);
}

TEST_CASE("max_seconds ends whatever runs", "[slow]") {
  const auto start = std::chrono::steady_clock::now();
  const Verification found = verified(
      "[model.m]\nuse = \"gaussian\"\ndimension = 500\n[kernel.k]\nuse = \"hamiltonian\"\n"
      "step_size = 0.01\nsteps = 1000\n[estimator.identity]\nuse = \"identity\"\n",
      {.max_seconds = 1.0});
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  CHECK(spent.count() < 5.0 * MIXWELL_TIME_FACTOR);
  CHECK(found.tested == "untested");
  CHECK_FALSE(found.conclusive);
}

TEST_CASE("a kernel that claims to be exact and is not disagrees with its certificate") {
  for (const char* mistake : {"acceptance-sign", "kinetic-energy-of-start"}) {
    INFO(mistake);
    const Verification found = verified(
        model_table + "[kernel.k]\nuse = \"wrong-hamiltonian\"\nstep_size = 0.4\nmistake = \"" +
        mistake + "\"\n");
    CHECK(found.certificate.now.label() == "exact");
    CHECK(found.tested == "biased");
    CHECK(failed(found));
    CHECK(found.conclusive);
    CHECK_FALSE(found.agrees);
  }
  CHECK(
      verified(model_table + "[kernel.k]\nuse = \"wrong-hamiltonian\"\nstep_size = 0.4\n").agrees);
}

TEST_CASE("a biased composition is shown to be so, and agrees", "[slow]") {
  const std::string own =
      "[run]\nallow = [\"biased\"]\n" + model_table + "[estimator.e]\nuse = \"lbfgs\"\n" +
      trajectory_table +
      "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\nmemory = \"own-history\"\n";
  const Verification found = verified(own);
  CHECK(found.certificate.now.label() == "biased");
  CHECK(found.tested == "biased");
  CHECK(found.agrees);
}

TEST_CASE("a composition that stands still is told from one that moves", "[slow]") {
  const std::string still =
      model_table + "[kernel.k]\nuse = \"random-walk-metropolis\"\nstep_size = 1e9\n";
  VerifySettings settings{.budget = 2e6};
  settings.targets = {"own"};
  const Verification found = verified(still, settings);
  CHECK(found.tested == "exact");
  CHECK_FALSE(found.mobile);
}

/// Its first 4 sweeps, all that this budget pays for, go 0.004 variances; 128 of them go 0.14.
TEST_CASE("a slow chain is not said to stand still because the budget ended after few sweeps") {
  const Verification found = verified(
      "[model.m]\nuse = \"random-effects\"\nvalues = [1.3, -2.4, 2.2, 0.9, 3.7]\nsds = [0.5, 0.5, "
      "0.6, 0.4, 0.5]\nsamples = 2\n[kernel.k]\nuse = \"random-walk-metropolis\"\nstep_size = "
      "0.8\n",
      {.targets = {"own"}, .budget = 1e5});
  CHECK(found.tested == "exact");
  REQUIRE(found.targets.size() == 1);
  CHECK(found.targets.front().sweeps < 128);
  CHECK(found.targets.front().moved > 0.05);
  CHECK(found.mobile);
}

TEST_CASE("what learns is tested after its warm-up", "[slow]") {
  const Verification found = verified("[run]\nwarmup = 200\n" + model_table +
                                      "[estimator.e]\nuse = \"diagonal\"\n[kernel.k]\nuse = "
                                      "\"hamiltonian\"\nsteps = 10\ntarget_acceptance = 0.8\n");
  CHECK(found.certificate.after_warmup);
  CHECK(found.tested == "exact");
  CHECK(found.agrees);
}

TEST_CASE("the error of a scheme without Metropolis is followed to eps = 0", "[nightly]") {
  const std::string noisy = "[oracle.o]\nuse = \"noisy\"\n";
  const std::string langevin = "[kernel.k]\nuse = \"langevin\"\nstep_size = 0.05\n";
  const Verification sgld = verified(model_table + noisy + langevin);
  CHECK(sgld.certificate.now.label() == "asymptotic");
  CHECK(sgld.tested == "asymptotic");
  CHECK(sgld.agrees);
  REQUIRE(sgld.targets.size() == 4);  // three smooth ones and its own
  for (const VerifiedTarget& target : sgld.targets) {
    REQUIRE(target.rungs.size() == 4);
    CHECK(target.rungs[0].step_factor == 8.0 * target.rungs[3].step_factor);
    CHECK(std::abs(target.rungs[0].bias) < 0.5);
    CHECK(std::abs(target.limit) < target.visible_bias);
  }
  const std::string psgld =
      "[estimator.e]\nuse = \"rms-diagonal\"\nalpha = 0.9\nlambda = 0.1\ngamma = \"none\"\n";
  const Verification without =
      verified("[run]\nallow = [\"biased\"]\n" + model_table + psgld + langevin, {.budget = 1e7});
  CHECK(without.certificate.now.label() == "biased");
  CHECK(without.tested == "biased");
  CHECK(without.agrees);
}

TEST_CASE("a scheme that claims an order and has none disagrees with its certificate") {
  const Verification found =
      verified(model_table + "[integrator.i]\nuse = \"wrong-langevin\"\nmistake = \"factor-2\"\n" +
               "[kernel.k]\nuse = \"langevin\"\nstep_size = 0.05\n");
  CHECK(found.certificate.now.label() == "asymptotic");
  CHECK(found.tested == "biased");
  CHECK(found.conclusive);
  CHECK_FALSE(found.agrees);
}

TEST_CASE("laws of hot slots and of oracles are drawn from a grid", "[nightly]") {
  const std::string hot =
      "[compositor.c]\nuse = \"tempering\"\ninverse_temperatures = [1, 0.5, 0.25]\n";
  VerifySettings settings{.budget = 2e6};
  settings.targets = {"own", "double-well", "gaussian-10"};
  const Verification tempering = verified(model_table + hmc_table + hot, settings);
  CHECK(tempering.tested == "exact");
  CHECK(tempering.agrees);
  CHECK(tempering.targets[1].skipped.empty());
  CHECK(tempering.targets[2].skipped.find("no exact draws") != std::string::npos);

  const Verification flat =
      verified(model_table + hmc_table + "[oracle.o]\nuse = \"tempered\"\nbeta = 0.5\n", settings);
  CHECK(flat.certificate.now.label() == "approximate");
  CHECK(flat.tested == "approximate");
  CHECK(flat.agrees);

  const Verification learnt = verified(
      "[run]\nwarmup = 200\n[model.m]\nuse = \"double-well\"\na = 0.5\nb = 0.25\n"
      "[oracle.o]\nuse = \"surrogate\"\npool = true\n" +
          hmc_table,
      settings);
  CHECK(learnt.tested == "approximate");
  CHECK(learnt.agrees);
}

TEST_CASE("what goes on learning is off by less and less, or disagrees", "[slow]") {
  VerifySettings settings{.budget = 1e6};
  settings.targets = {"own"};
  const Verification learning =
      verified(model_table +
                   "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = "
                   "\"hamiltonian\"\nsteps = 10\ntarget_acceptance = 0.8\nfreeze = false\n",
               settings);
  CHECK(learning.certificate.now.label() == "adaptive");
  CHECK(learning.tested == "adaptive");
  CHECK(learning.agrees);
  const Verification restless =
      verified(model_table + "[kernel.k]\nuse = \"restless-walk\"\n", settings);
  CHECK(restless.certificate.now.label() == "adaptive");
  CHECK(restless.tested == "biased");
  CHECK_FALSE(restless.agrees);
}

TEST_CASE("starts that are too far out come back, or the composition is of no use", "[nightly]") {
  VerifySettings settings{.budget = 1e7};
  settings.targets = {"own"};
  const std::string hmc =
      "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size = "
      "0.1\nsteps = 10\n";
  const Verification found = verified(model_table + hmc, settings);
  CHECK(found.arrival.target == "own");
  CHECK(found.arrival.left < 0.2);
  CHECK(found.arrival.arrives);
  const Verification once = verified(model_table + hmc + "persistence = 1.0\n", settings);
  CHECK(once.tested == "exact");
  CHECK_FALSE(once.arrival.arrives);
  CHECK_FALSE(once.mobile);
}

TEST_CASE("a model without exact draws is tested on data drawn with its parameters", "[slow]") {
  const std::string probit =
      "[model.m]\nuse = \"probit-regression\"\ncases = 40\ndimension = 4\nprior_variance = 4.0\n";
  const VerifySettings settings{.targets = {"own"}, .budget = 1e6};
  const std::string hmc =
      "[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 4\n";
  for (const std::string steps : {"step_size = 0.3\n", "target_acceptance = 0.8\n"}) {
    INFO(steps);
    const Verification right = verified("[run]\nwarmup = 100\n" + probit + hmc + steps, settings);
    REQUIRE(right.targets.size() == 1);
    CHECK(right.targets.front().redraws_data);
    CHECK(right.targets.front().moved > 1.0);
    CHECK(right.targets.front().visible_bias < 0.6);
    CHECK(right.tested == "exact");
    CHECK(right.agrees);
    CHECK(right.mobile);
  }
  for (const char* mistake : {"acceptance-sign", "kinetic-energy-of-start"}) {
    INFO(mistake);
    const Verification wrong =
        verified(probit + "[kernel.k]\nuse = \"wrong-hamiltonian\"\nstep_size = 0.3\nmistake = \"" +
                     mistake + "\"\n",
                 settings);
    CHECK(wrong.targets.front().redraws_data);
    CHECK(wrong.tested == "biased");
    CHECK_FALSE(wrong.agrees);
  }
  const Verification two =
      verified(probit + hmc + "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 2\n", settings);
  CHECK(two.tested == "untested");
  CHECK(two.targets.front().skipped.find("2 slots") != std::string::npos);
  const Verification poor = verified(probit + hmc, {.targets = {"own"}, .budget = 100});
  CHECK(poor.targets.front().skipped.find("Raise --budget") != std::string::npos);
}

TEST_CASE("a history that nothing uses is in nobody's way") {
  const Verification found = verified(
      model_table + "[kernel.pilot]\nuse = \"random-walk-metropolis\"\n" + trajectory_table +
          "[estimator.e]\nuse = \"identity\"\n"
          "[compositor.c]\nuse = \"pilot-chain\"\npilot = \"pilot\"\nkernel = \"k\"\n",
      {.targets = {"own"}, .budget = 1e6});
  CHECK(found.targets.front().skipped.empty());
  CHECK(found.tested == "exact");
}

TEST_CASE("what cannot be drawn, or compared, is left untested with the reason", "[slow]") {
  const Verification moving =
      verified(model_table +
               "[estimator.e]\nuse = \"elm-surrogate\"\n[oracle.o]\nuse = \"surrogate\"\n"
               "[kernel.k]\nuse = \"langevin\"\n");
  CHECK(moving.certificate.now.accuracy == Accuracy::asymptotic);
  CHECK(moving.tested == "untested");
  CHECK_FALSE(moving.conclusive);
  CHECK(moving.remarks.size() == 1);
  const Verification spiky = verified(
      "[model.m]\nuse = \"gaussian-mixture\"\nweights = [1, 1]\n"
      "means = [-50, 50]\nsd = [0.01, 0.01]\n"
      "[oracle.o]\nuse = \"tempered\"\nbeta = 0.5\n" +
          hmc_table,
      {.targets = {"own"}, .budget = 2e6});
  CHECK(spiky.tested == "untested");
  CHECK(spiky.targets.front().skipped.find("neighbouring cells") != std::string::npos);
  VerifySettings settings{.budget = 2e6};
  settings.targets = {"double-well"};
  const Verification refused =
      verified(model_table + "[kernel.k]\nuse = \"riemannian\"\n", settings);
  CHECK(refused.tested == "untested");
  CHECK(refused.targets.front().skipped.find("metric") != std::string::npos);
  settings.targets = {"cubic"};
  CHECK_THROWS_AS(verified(model_table + hmc_table, settings), InputError);
}

TEST_CASE("an asymptotic kernel beside one with Metropolis is followed to eps = 0", "[nightly]") {
  const Verification found =
      verified(model_table +
               "[estimator.identity]\nuse = \"identity\"\n[kernel.a]\nuse = "
               "\"hamiltonian\"\nsteps = 10\nstep_size = 0.4\nintegrator = \"leap\"\n"
               "[kernel.b]\nuse = \"langevin\"\nstep_size = 0.05\nintegrator = \"euler\"\n"
               "[integrator.leap]\nuse = \"leapfrog\"\n[integrator.euler]\nuse = "
               "\"euler-maruyama\"\n[compositor.c]\nuse = \"cycle\"\nkernels = [\"a\", \"b\"]\n");
  CHECK(found.certificate.now.label() == "asymptotic");
  CHECK(found.tested == "asymptotic");
  CHECK(found.targets.front().rungs.size() == 4);
}
