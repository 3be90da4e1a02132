// One mutant of every part is caught, and its right version is not.
// SPDX-License-Identifier: Apache-2.0
#include "mutants/mutants.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <set>
#include <string>

/// Composed only, in seconds: a rule that changed is told here, and not by the hours of all
/// mutants.
TEST_CASE("every mutant and its right version have the certificate that the list names") {
  const auto label = [](const mutants::Base& base, const std::string& mistake) {
    return mixwell::compose(*mutants::compose(base, mistake).compositor).certificate.now.label();
  };
  for (const mutants::Mutant& mutant : mutants::read()) {
    INFO(mutant.name());
    CHECK(label(mutant.base, "none") == mutant.base.certificate);
    CHECK((label(mutant.base, mutant.mistake) == mutant.base.certificate) ==
          (mutant.check != "certificate"));
  }
}

TEST_CASE("one mutant of each part is caught and its right version agrees") {
  std::set<std::string> parts;
  for (const mutants::Mutant& mutant : mutants::read()) {
    if (!parts.insert(mutant.part).second) continue;
    INFO(mutant.name());
    const mutants::Outcome wrong = mutants::check(mutant.check, mutant.base, mutant.mistake);
    INFO(wrong.verdict << " by " << wrong.by);
    CHECK(wrong.wrong);
    const mutants::Outcome right =
        mutants::check(mutant.check, mutant.base, "none", {.budget = 1e6});
    INFO(right.verdict << " by " << right.by);
    CHECK_FALSE(right.wrong);
  }
  CHECK(parts.size() >= 6);
}
