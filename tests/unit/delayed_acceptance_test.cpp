// The kernel `delayed-acceptance`: its certificate, its evaluations, and what it refuses.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace mixwell;

namespace {

const std::string bowl = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";
const std::string flat = "[oracle.V]\nuse = \"tempered\"\nbeta = 0.5\n";
const std::string regression =
    "[model.m]\nuse = \"linear-gaussian\"\ndimension = 2\ncases = 40\nnoise_variance = 1\n"
    "simulate_seed = 3\n";
const std::string minibatch = "[oracle.V]\nuse = \"minibatch\"\nsize = 20\n";

/// Kernels that stages may be.
const std::string kernels =
    "[oracle.exact]\nuse = \"exact\"\n[estimator.identity]\nuse = \"identity\"\n"
    "[kernel.walk]\nuse = \"random-walk-metropolis\"\noracle = \"exact\"\nstep_size = 0.8\n"
    "[kernel.hmc]\nuse = \"hamiltonian\"\noracle = \"exact\"\nstep_size = 0.3\nsteps = 3\n"
    "[kernel.learning]\nuse = \"random-walk-metropolis\"\noracle = \"exact\"\n"
    "target_acceptance = 0.4\n"
    "[kernel.carried]\nuse = \"hamiltonian\"\noracle = \"exact\"\nstep_size = 0.3\nsteps = 3\n"
    "persistence = 0.5\n"
    "[kernel.rough]\nuse = \"hamiltonian\"\noracle = \"exact\"\nstep_size = 0.3\nsteps = 3\n"
    "metropolis = false\n"
    "[kernel.trees]\nuse = \"nuts\"\noracle = \"exact\"\nstep_size = 0.3\n"
    "[kernel.again]\nuse = \"random-walk-metropolis\"\noracle = \"V\"\nstep_size = 0.8\n";

Composition delayed(const std::string& stages, const std::string& model = bowl,
                    const std::string& law = flat) {
  return composing::compose(model + law + kernels +
                            "[kernel.late]\nuse = \"delayed-acceptance\"\noracle = \"V\"\n"
                            "kernels = " +
                            stages + "\n[compositor.c]\nuse = \"chain\"\nkernel = \"late\"\n");
}

Verdict verdict(const Composition& composition) {
  return compose(*composition.compositor).certificate.now;
}

}  // namespace

TEST_CASE("a proposal by stages that are the same backwards is exact") {
  for (const char* stages :
       {R"(["walk"])", R"(["hmc"])", R"(["walk", "walk"])", R"(["hmc", "hmc", "hmc"])",
        R"(["walk", "hmc", "walk"])", R"(["learning"])", R"(["walk", "learning", "walk"])"}) {
    const Verdict v = verdict(delayed(stages));
    INFO(stages << ": " << v.reason);
    CHECK(v.label() == "exact");
    CHECK(v.proved);
  }
}

TEST_CASE("stages that are not reversible together are biased, by name") {
  struct Case {
    const char* stages;
    bool proved;
    const char* named;
  };
  for (const Case& c :
       {Case{R"(["walk", "hmc"])", true, "late/walk/accept"},
        Case{R"(["walk", "walk", "hmc"])", true, "late/hmc/accept"},
        Case{R"(["learning", "learning"])", true, "late/learning2/accept"},
        Case{R"(["carried"])", true, "late/carried/accept"},
        Case{R"(["trees"])", false, "late/trees"}, Case{R"(["rough"])", false, "late/rough"},
        Case{R"(["again"])", true, "late/again/accept"}}) {
    const Verdict v = verdict(delayed(c.stages));
    INFO(c.stages << ": " << v.reason);
    CHECK(v.label() == "biased");
    CHECK(v.rule == Rule::stages);
    CHECK(v.proved == c.proved);
    CHECK(v.reason.find(c.named) != std::string::npos);
  }
}

TEST_CASE("a noisy law of the stages has one draw of its noise") {
  CHECK(verdict(delayed(R"(["walk"])", regression, minibatch)).label() == "exact");
  CHECK(verdict(delayed(R"(["walk", "walk"])", regression, minibatch)).label() == "exact");
  const Verdict v = verdict(delayed(R"(["hmc"])", regression, minibatch));
  CHECK(v.label() == "biased");
  CHECK(v.rule == Rule::stages);
  CHECK(v.reason.find("late/hmc/trajectory") != std::string::npos);
}

TEST_CASE(
    "a surrogate that learns for ever makes delayed acceptance adaptive, and a frozen one "
    "leaves it exact") {
  const std::string model = "[model.m]\nuse = \"double-well\"\na = 0.5\nb = 0.25\ndimension = 2\n";
  const std::string surrogate =
      "[estimator.network]\nuse = \"elm-surrogate\"\nnodes = 20\n[oracle.V]\nuse = "
      "\"surrogate\"\n";
  const auto certificate = compose(*delayed(R"(["hmc"])", model, surrogate).compositor).certificate;
  CHECK(certificate.now.label() == "exact");
  CHECK(certificate.after_warmup);
  CHECK(
      verdict(delayed(R"(["hmc"])", model, surrogate + "freeze_after_warmup = false\n")).label() ==
      "adaptive");
}

TEST_CASE("the model's own law is evaluated where the stages have moved, and nowhere else") {
  Composition composition = delayed(R"(["walk"])");
  composition.run.replicates = 64;
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  const double before = sampler.gradients();
  DrawBuffers draws;
  sampler.advance(PhaseKind::sampling, 50, &draws);
  const auto& records = sampler.graph(PhaseKind::sampling).records();
  const auto moved = std::find_if(records.begin(), records.end(),
                                  [](const Record& r) { return r.name == "moved"; });
  REQUIRE(moved != records.end());
  double count = 0.0;
  for (const double one : draws.data[static_cast<std::size_t>(moved - records.begin())]) {
    count += one;
  }
  CHECK(count > 0.2 * 50 * 64);
  CHECK(count < 0.9 * 50 * 64);
  // The density of the stages is evaluated at the start and at each proposal. U is evaluated once
  // before the first sweep, and where the stages moved.
  CHECK(sampler.gradients() - before == 2.0 * 50 * 64 + 64 + count);
}

TEST_CASE("delayed acceptance without a stage is refused") {
  CHECK_THROWS_WITH(delayed("[]"), Catch::Contains("kernels"));
}
