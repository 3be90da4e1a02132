// The examples of blocks, tested with exact draws and with data drawn from their priors.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"

#include <mixwell/lab/verify.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace mixwell;

// Each is called biased with probability 1e-3 at most: false alarm below 6e-3 for the case.
TEST_CASE("the examples of blocks keep the laws of their own models", "[nightly]") {
  for (const char* const name :
       {"two-blocks", "cycle", "eight-schools", "probit", "disasters", "mixture"}) {
    const std::string path = std::string(MIXWELL_SOURCE_DIR) + "/examples/blocks/" + name + ".toml";
    INFO(path);
    const Verification found = verify(load_manifest(path, composing::registry()), path,
                                      composing::registry(), {.targets = {"own"}, .budget = 8e6});
    CHECK(found.tested == "exact");
    CHECK(found.agrees);
    REQUIRE(found.targets.size() == 1);
    CHECK(found.targets.front().skipped.empty());
  }
}
