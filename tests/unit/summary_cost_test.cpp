// Predictions of what a summary will cost.
// SPDX-License-Identifier: Apache-2.0
#include "results/summary_cost.hpp"

#include <catch2/catch.hpp>

using mixwell::SummaryCost;

TEST_CASE("A summary takes longer for more draws, more elements and more chains") {
  const SummaryCost cost(4, 2);
  CHECK(cost.seconds(0) == 0);
  CHECK(cost.seconds(1e6) > 0.01);
  CHECK(cost.seconds(1e6) < 1000);
  CHECK(cost.seconds(2e6) > 2 * cost.seconds(1e6));
  CHECK(cost.seconds(2e6) < 2.2 * cost.seconds(1e6));
}
