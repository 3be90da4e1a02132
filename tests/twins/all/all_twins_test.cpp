// Every wrong twin is caught, and no right version is.
// SPDX-License-Identifier: Apache-2.0
#include "twins/twins.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>

TEST_CASE("every wrong twin is caught, but for those that are known to escape") {
  const auto all = twins::read();
  CHECK(all.size() >= 40);
  for (const twins::Twin& twin : all) {
    if (!twin.escapes.empty()) continue;
    INFO(twin.name());
    const twins::Outcome outcome = twins::check(twin.check, twin.base, twin.mistake);
    INFO(outcome.verdict << " by " << outcome.by);
    CHECK(outcome.wrong);
  }
}

TEST_CASE("no right version of a wrong twin is called wrong") {
  std::set<std::string> seen;
  for (const twins::Twin& twin : twins::read()) {
    if (!seen.insert(twin.base.name + twin.check).second) continue;
    INFO(twin.base.name << " by " << twin.check);
    const twins::Outcome outcome = twins::check(twin.check, twin.base, "none", {.budget = 1e6});
    INFO(outcome.verdict << " by " << outcome.by);
    CHECK_FALSE(outcome.wrong);
    CHECK(outcome.verdict != "untested");
  }
}
