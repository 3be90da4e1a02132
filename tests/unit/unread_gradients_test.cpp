// Gradients that nobody reads are not evaluated: kernels that decide by U ask only for U.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;

namespace {

const std::string plane =
    "[run]\nreplicates = 10\ninit = \"exact\"\n[model.m]\nuse = \"double-well\"\ndimension = 2\n";
const std::string walk = "[kernel.walk]\nuse = \"random-walk-metropolis\"\n";
const std::string trajectory =
    "[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = \"hamiltonian\"\nsteps = 3\n";
const std::string joined = "[compositor.c]\nuse = \"cycle\"\nkernels = [\"walk\", \"hmc\"]\n";

Evaluations after(const std::string& manifest, std::int64_t sweeps) {
  const Composition composition = composing::compose(manifest);
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  const Evaluations before = sampler.evaluations();
  sampler.advance(PhaseKind::sampling, sweeps);
  const Evaluations now = sampler.evaluations();
  return {now.all - before.all, now.potentials - before.potentials};
}

}  // namespace

TEST_CASE("a random walk evaluates U alone, as often as it proposes, and where it starts") {
  const Evaluations spent = after(plane + walk, 7);
  CHECK(spent.all == 10 * (7 + 1));
  CHECK(spent.potentials == spent.all);
}

TEST_CASE("a trajectory wants every gradient") {
  const Evaluations spent = after(plane + trajectory, 7);
  CHECK(spent.all == 10 * (7 * 3 + 1));
  CHECK(spent.potentials == 0);
}

TEST_CASE("gradients of a walk are evaluated where another kernel goes on from there") {
  const Evaluations spent = after(plane + walk + trajectory + joined, 7);
  CHECK(spent.potentials == 0);
}

TEST_CASE("a proposal that is steered by gradients wants them at both ends") {
  const Evaluations spent = after(plane + "[kernel.k]\nuse = \"mala\"\n", 7);
  CHECK(spent.all == 10 * (7 + 1));
  CHECK(spent.potentials == 0);
}
