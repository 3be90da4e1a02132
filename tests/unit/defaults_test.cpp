// The meaning of a manifest that leaves most keys out.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "support.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;
using support::contains;

namespace {

const std::string model = "[model.m]\nuse = \"gaussian\"\ndimension = 3\n";
const std::string hmc = "[kernel.k]\nuse = \"hamiltonian\"\n";
const std::string nuts = "[kernel.k]\nuse = \"nuts\"\n";

std::string meant(const std::string& manifest) {
  return composing::compose(manifest).effective_manifest;
}

/// The preconditioner of the manifest's only kernel.
std::string preconditioner(const std::string& manifest) {
  const std::string text = meant(manifest);
  const std::string table = "\n[estimator.";
  const std::size_t at = text.find(table);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + table.size();
  return text.substr(begin, text.find(']', begin) - begin);
}

}  // namespace

TEST_CASE("a model alone is a manifest: nuts with a diagonal metric, four chains") {
  const Composition composition = composing::compose(model);
  CHECK(composition.run.replicates == 4);
  CHECK(composition.run.warmup == 1000);
  CHECK(composition.run.draws == 1000);
  CHECK(contains(composition.effective_manifest, "[kernel.nuts]\nuse = \"nuts\""));
  CHECK(preconditioner(model) == "diagonal");
}

TEST_CASE("a metric is learnt where the manifest names none and it can be learnt") {
  CHECK(preconditioner(model + nuts) == "diagonal");
  CHECK(preconditioner(model + hmc) == "diagonal");
  INFO("what is named is meant");
  CHECK(preconditioner(model + nuts + "[estimator.identity]\nuse = \"identity\"\n") == "identity");
  CHECK(preconditioner(model + nuts + "[estimator.e]\nuse = \"dense\"\n") == "e");
  INFO("there is no warm-up to learn in");
  CHECK(preconditioner("[run]\nwarmup = 0\n" + model + nuts) == "identity");
  INFO("nothing accepts, or the preconditioner is not the mass");
  CHECK(preconditioner(model + hmc + "metropolis = false\n") == "identity");
  CHECK(contains(composing::refusal(model + hmc + "coupling = \"factor\"\n"),
                 "kernel.k.coupling = \"factor\": has no effect here. It needs"
                 " an estimator whose H is not I"));
  INFO("the compositor lends a memory");
  CHECK(preconditioner(model + hmc + "[compositor.c]\nuse = \"ensemble-chain\"\n") == "identity");
  INFO("other kernels keep it");
  CHECK(preconditioner(model + "[kernel.k]\nuse = \"langevin\"\n") == "identity");
}

TEST_CASE("a number of steps that nobody says is drawn from 5 to 15") {
  CHECK(contains(meant(model + hmc), "steps_jitter = [5.0, 15.0]"));
  CHECK_FALSE(contains(meant(model + hmc + "steps = 4\n"), "steps_jitter ="));
  CHECK(contains(meant(model + hmc + "steps = 4\n"), "\nsteps = 4"));
  CHECK(contains(meant(model + hmc + "steps_jitter = [1, 3]\n"), "steps_jitter = [1.0, 3.0]"));
  INFO("a rule of the manifest says it");
  const std::string rule = "[steps.t]\nuse = \"integration-time\"\ntime = 1.0\n";
  CHECK_FALSE(contains(meant(model + hmc + rule), "steps_jitter ="));
}
