// The number of divergences whose positions a sampler keeps.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;

namespace {

/// Where every transition diverges.
Sampler diverging(const std::string& dimension) {
  const Composition composition = composing::compose(
      "[run]\nwarmup = 0\n[model.m]\nuse = \"gaussian\"\ndimension = " + dimension +
      "\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\n"
      "step_size = 1000.0\nsteps = 3\n");
  Sampler sampler(composition.compositor, composition.run, compose(*composition.compositor));
  sampler.initialise();
  for (int sweep = 0; sweep < 40; ++sweep) sampler.advance(PhaseKind::sampling, 1);
  return sampler;
}

}  // namespace

TEST_CASE("at most a hundred divergences are kept and a million numbers of positions") {
  const Sampler narrow = diverging("3");
  CHECK(narrow.divergence_count() == 160);
  CHECK(narrow.divergences().size() == 100);
  const Sampler wide = diverging("50000");
  CHECK(wide.divergence_count() == 160);
  CHECK(wide.divergences().size() == 20);
  CHECK(wide.divergences().back().position.size() == 50000);
}
