// Stop rules on draws that could not all be judged.
// SPDX-License-Identifier: Apache-2.0
#include "run/stop_rule.hpp"

#include "draws_testing.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <optional>

using namespace mixwell;
using namespace mixwell::testing;

namespace {

double scattered(std::int64_t draw, Index chain) {
  const double place = 1e3 * double(chain) + double(draw);
  const double x = std::sin(12.9898 * place) * 43758.5453;
  return x - std::floor(x);
}

/// The outcome for 4 chains of 500 draws of x, together with another variable.
struct Looked {
  std::optional<EndedBy> ended_by;
  std::vector<std::string> remarks;
};

template <class Number>
Looked outcome(const StopSettings& settings, const Number& other) {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), {real("x"), real("other")});
  h.replicates = 4;
  write_file(h, 500, [&](std::size_t c, std::int64_t draw, Index chain, Index) {
    return c == 0 ? scattered(draw, chain) : other(draw, chain);
  });
  const DrawsFile draws(folder.path());
  const StopRule rule(settings);
  return {rule.met_by_draws(draws, nullptr), rule.remarks(summarise(draws, 1.0, 1.0))};
}

StopSettings by_ess() {
  StopSettings settings;
  settings.min_ess = 500.0;
  return settings;
}

StopSettings by_mcse() {
  StopSettings settings;
  settings.mcse = 0.1;
  return settings;
}

double with_nan(std::int64_t draw, Index chain) {
  return draw == 7 ? std::nan("") : scattered(draw + 5000, chain);
}

double with_infinity(std::int64_t draw, Index chain) {
  return draw == 7 ? std::numeric_limits<double>::infinity() : scattered(draw + 5000, chain);
}

}  // namespace

TEST_CASE("a constant keeps no stop rule from ending a run") {
  const auto constant = [](std::int64_t, Index) { return 0.1; };
  CHECK(outcome(by_ess(), constant).ended_by == EndedBy::min_ess);
  CHECK(outcome(by_mcse(), constant).ended_by == EndedBy::mcse);
  CHECK(outcome(by_mcse(), constant).remarks.empty());
}

TEST_CASE("a variable of any scale ends a run by its Monte Carlo error") {
  for (const double scale : {1e-170, 1.6e-19, 1.0, 1e170}) {
    INFO(scale);
    const auto tiny = [scale](std::int64_t draw, Index chain) {
      return scale * scattered(draw + 5000, chain);
    };
    CHECK(outcome(by_mcse(), tiny).ended_by == EndedBy::mcse);
  }
}

TEST_CASE("a variable that cannot be judged keeps a stop rule from ending a run, and is named") {
  const Looked nan = outcome(by_ess(), with_nan);
  CHECK_FALSE(nan.ended_by.has_value());
  REQUIRE(nan.remarks.size() == 1);
  CHECK(nan.remarks[0] ==
        "stop_min_ess cannot end this run, because the precision of other is unknown: 4 of 2000 "
        "draws are NaN");
  CHECK_FALSE(outcome(by_mcse(), with_nan).ended_by.has_value());
  const Looked infinite = outcome(by_mcse(), with_infinity);
  CHECK_FALSE(infinite.ended_by.has_value());
  REQUIRE(infinite.remarks.size() == 1);
  CHECK(infinite.remarks[0].find("stop_mcse cannot end this run") == 0);
}

TEST_CASE("infinite draws have ranks, and so an effective sample size that ends a run") {
  CHECK(outcome(by_ess(), with_infinity).ended_by == EndedBy::min_ess);
  CHECK(outcome(by_ess(), with_infinity).remarks.empty());
}
