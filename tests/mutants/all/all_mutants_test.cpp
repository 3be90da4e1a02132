// Every mutant is caught, and no right version is.
// SPDX-License-Identifier: Apache-2.0
#include "mutants/mutants.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <string>

TEST_CASE("every mutant is caught, but for those that are known to escape") {
  const auto all = mutants::read();
  CHECK(all.size() >= 40);
  for (const mutants::Mutant& mutant : all) {
    if (!mutant.escapes.empty()) continue;
    INFO(mutant.name());
    const mutants::Outcome outcome = mutants::check(mutant.check, mutant.base, mutant.mistake);
    INFO(outcome.verdict << " by " << outcome.by);
    CHECK(outcome.wrong);
  }
}

TEST_CASE("no right version of a mutant is called wrong") {
  std::set<std::string> seen;
  for (const mutants::Mutant& mutant : mutants::read()) {
    if (!seen.insert(mutant.base.name + mutant.check).second) continue;
    INFO(mutant.base.name << " by " << mutant.check);
    const mutants::Outcome outcome =
        mutants::check(mutant.check, mutant.base, "none", {.budget = 1e6});
    INFO(outcome.verdict << " by " << outcome.by);
    CHECK_FALSE(outcome.wrong);
    CHECK(outcome.verdict != "untested");
  }
}
