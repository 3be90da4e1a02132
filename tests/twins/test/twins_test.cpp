// One wrong twin of every part is caught, and its right version is not.
// SPDX-License-Identifier: Apache-2.0
#include "twins/twins.hpp"

#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>

#include <set>
#include <string>

/// Composed only, in seconds: a rule that changed is told here, and not by the hours of all twins.
TEST_CASE("every twin and its right version have the certificate that the list names") {
  const auto label = [](const twins::Base& base, const std::string& mistake) {
    return mixwell::compose(*twins::compose(base, mistake).compositor).certificate.now.label();
  };
  for (const twins::Twin& twin : twins::read()) {
    INFO(twin.name());
    CHECK(label(twin.base, "none") == twin.base.certificate);
    CHECK((label(twin.base, twin.mistake) == twin.base.certificate) ==
          (twin.check != "certificate"));
  }
}

TEST_CASE("one wrong twin of each part is caught and its right version agrees") {
  std::set<std::string> parts;
  for (const twins::Twin& twin : twins::read()) {
    if (!parts.insert(twin.part).second) continue;
    INFO(twin.name());
    const twins::Outcome wrong = twins::check(twin.check, twin.base, twin.mistake);
    INFO(wrong.verdict << " by " << wrong.by);
    CHECK(wrong.wrong);
    const twins::Outcome right = twins::check(twin.check, twin.base, "none", {.budget = 1e6});
    INFO(right.verdict << " by " << right.by);
    CHECK_FALSE(right.wrong);
  }
  CHECK(parts.size() >= 6);
}
