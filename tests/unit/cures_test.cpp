// Cures change the sampler: a key that only makes a component declare more is none.
// SPDX-License-Identifier: Apache-2.0
#include "app/cures.hpp"

#include "composing.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace mixwell;

namespace {

const std::string model = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";

/// What `check` prints of each.
std::vector<std::string> cures_of(const std::string& kernel) {
  const Composition composition = composing::compose(model + kernel);
  const Certificate certificate = compose(*composition.compositor).certificate;
  INFO(certificate.to_text());
  CHECK(certificate.label() == "biased");
  std::vector<std::string> all;
  for (const app::Cure& cure : app::cures(composition, certificate, composing::registry()))
    all.push_back(cure.change + ": " + cure.in_words());
  return all;
}

std::string label(const std::string& kernel) { return composing::verdict(model + kernel).label(); }

}  // namespace

TEST_CASE("a key that hides what is wrong behind a declared move is no cure") {
  const std::string walk = "[kernel.k]\nuse = \"hiding-walk\"\n";
  CHECK(composing::verdict(model + walk).evidence() == Evidence::proved);
  CHECK(label(walk + "opaque = true\n") == "exact");
  CHECK(cures_of(walk) == std::vector<std::string>{"kernel.k.follows = false: exact, declared"});
}

TEST_CASE("a key that declares more of the same operations is no cure") {
  const std::string walk = "[kernel.k]\nuse = \"hiding-walk\"\nfollows = false\n";
  const std::string silent = walk + "claims = false\n";
  CHECK(label(walk) == "exact");
  CHECK(label(silent + "opaque = true\n") == "exact");
  CHECK(cures_of(silent).empty());
}

TEST_CASE("what rests on no author's word is proposed without that remark") {
  const auto found = cures_of(
      "[estimator.e]\nuse = \"lbfgs\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 3\n"
      "step_size = 0.1\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 3\n"
      "memory = \"own-history\"\n");
  REQUIRE_FALSE(found.empty());
  for (const std::string& cure : found) CHECK(cure.find("declared") == std::string::npos);
}
