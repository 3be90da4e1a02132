// Effective sample sizes as a person reads them.
// SPDX-License-Identifier: Apache-2.0
#include "app/ess_text.hpp"

#include <catch2/catch.hpp>

#include <limits>

using mixwell::app::ess_text;

TEST_CASE("an effective sample size comes with its interval, or says that it is rough") {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(ess_text(4009.0, 540.0) == "4009 (3079 to 5220)");
  CHECK(ess_text(34.0, 732.0) == "34 (rough)");
  CHECK(ess_text(34.0, none) == "34");
  CHECK(ess_text(none, none) == "-");
}
