// What a summary could not judge: by which figure, why and how many; and chains that never moved.
// SPDX-License-Identifier: Apache-2.0
#include "draws_testing.hpp"

#include <mixwell/lab/summary.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>

using namespace mixwell;
using namespace mixwell::testing;
using Json = nlohmann::ordered_json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double scattered(std::int64_t draw, Index chain, Index element) {
  const double place = 3.0 * double(element) + 1e3 * double(chain) + double(draw);
  const double x = std::sin(12.9898 * place) * 43758.5453;
  return x - std::floor(x);
}

/// Of 2 chains of 100 draws: number(column, draw, chain, element).
template <class Number>
Summary summary_of(std::vector<Column> columns, const Number& number, std::int64_t draws = 100) {
  const TemporaryFolder folder;
  RunHeader h = header(folder.path(), std::move(columns));
  h.replicates = 2;
  write_file(h, draws, number);
  return summarise(DrawsFile(folder.path()), 1.0, 1.0);
}

const std::vector<std::string> all_figures = {"mean", "sd",  "mcse_mean", "mcse_sd",  "q5",
                                              "q50",  "q95", "rhat",      "ess_bulk", "ess_tail"};

Summary with_missing_draws() {
  return summary_of({real("b", {3}), real("fine"), real("c")},
                    [](std::size_t c, std::int64_t draw, Index chain, Index e) {
                      if (c == 0 && e > 0 && draw % 10 == e) return std::nan("");
                      if (c == 2 && draw == 5) return chain == 0 ? infinity : -infinity;
                      return scattered(draw, chain, e);
                    });
}

}  // namespace

TEST_CASE("draws that are NaN or infinite are counted, with the first variable") {
  const Summary summary = with_missing_draws();
  REQUIRE(summary.not_judged.size() == 2);
  const NotJudged& nan = summary.not_judged[0];
  CHECK(nan.variable == "b[1]");
  CHECK(nan.more == 1);
  CHECK(nan.who() == "b[1] and 1 more");
  CHECK(nan.figures == all_figures);
  CHECK(nan.because == "20 of 200 draws are NaN");
  CHECK(nan.draws == 20);
  const NotJudged& infinite = summary.not_judged[1];
  CHECK(infinite.variable == "c");
  CHECK(infinite.because == "2 of 200 draws are infinite");
  CHECK(infinite.lacks("mcse_mean"));
  CHECK_FALSE(infinite.lacks("rhat"));  // R-hat uses ranks
  CHECK(summary.find("b[1]")->nan_draws == 20);
  CHECK(summary.find("c")->infinite_draws == 2);
}

TEST_CASE("what is not judged is in summary.json, and comes back from it") {
  const Summary summary = with_missing_draws();
  const Json json = Json::parse(summary_json(summary));
  CHECK(json["not_judged"][0] == Json{{"variable", "b[1]"},
                                      {"more", 1},
                                      {"figures", all_figures},
                                      {"because", "20 of 200 draws are NaN"},
                                      {"draws", 20}});
  CHECK(json["variables"]["b[1]"]["nan_draws"] == 20);
  CHECK_FALSE(json["variables"]["fine"].contains("nan_draws"));
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/summary.json") << json.dump();
  CHECK(summary_json(read_summary(folder.path())) == summary_json(summary));
}

TEST_CASE("an infinite R-hat stays infinite, a text in JSON") {
  const Summary summary =
      summary_of({real("x"), statistic("lp")},
                 [](std::size_t, std::int64_t, Index chain, Index) { return double(chain) + 0.5; });
  CHECK(summary.find("x")->standard.rhat == infinity);
  CHECK(summary.sampler.still_chains == 2);
  const Json json = Json::parse(summary_json(summary));
  CHECK(json["variables"]["x"]["rhat"] == "inf");
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/summary.json") << json.dump();
  CHECK(read_summary(folder.path()).find("x")->standard.rhat == infinity);
}

TEST_CASE("a mean that is infinite is a text too") {
  const Json json = Json::parse(
      summary_json(summary_of({real("x")}, [](std::size_t, std::int64_t draw, Index chain, Index) {
        return draw == 3 ? -infinity : scattered(draw, chain, 0);
      })));
  CHECK(json["variables"]["x"]["mean"] == "-inf");
  CHECK(json["variables"]["x"]["sd"].is_null());
}

TEST_CASE("a constant is no finding where chains move, and no variable that could not be judged") {
  const Summary summary = summary_of({real("L", {2}), statistic("lp")},
                                     [](std::size_t c, std::int64_t draw, Index chain, Index e) {
                                       return c == 0 && e == 0 ? 1.0 : scattered(draw, chain, e);
                                     });
  CHECK(summary.not_judged.empty());
  CHECK(summary.find("L[0]")->constant);
  CHECK_FALSE(summary.find("L[1]")->constant);
  CHECK(summary.sampler.still_chains == 0);
}

TEST_CASE("chains whose log density never changes never moved") {
  const auto second_is_stuck = [](std::size_t, std::int64_t draw, Index chain, Index) {
    return chain == 1 ? 0.25 : scattered(draw, chain, 0);
  };
  CHECK(summary_of({real("x"), statistic("lp")}, second_is_stuck).sampler.still_chains == 1);
  // All at one place, as where they start there.
  const auto stuck = [](std::size_t, std::int64_t, Index, Index) { return 0.25; };
  CHECK(summary_of({real("x"), statistic("lp")}, stuck).sampler.still_chains == 2);
  // A density that is the same everywhere tells nothing.
  const auto flat = [](std::size_t c, std::int64_t draw, Index chain, Index) {
    return c == 1 ? 0.0 : scattered(draw, chain, 0);
  };
  CHECK_FALSE(summary_of({real("x"), statistic("lp")}, flat).sampler.still_chains.has_value());
  CHECK_FALSE(summary_of({real("x")}, stuck).sampler.still_chains.has_value());
}

TEST_CASE("chains that are too short, and tails of equal draws, are not judged") {
  const auto number = [](std::size_t, std::int64_t draw, Index chain, Index) {
    return scattered(draw, chain, 0);
  };
  const Summary three = summary_of({real("x")}, number, 3);
  REQUIRE(three.not_judged.size() == 1);
  CHECK(three.not_judged[0].because.starts_with("chains of 3 draws are too short"));
  const Summary coin =
      summary_of({real("x")}, [&](std::size_t c, std::int64_t draw, Index chain, Index e) {
        return number(c, draw, chain, e) < 0.4 ? 0.0 : 1.0;
      });
  REQUIRE(coin.not_judged.size() == 1);
  CHECK(coin.not_judged[0].figures == std::vector<std::string>{"ess_tail"});
  CHECK(coin.not_judged[0].because.find("draws are equal") != std::string::npos);
}

TEST_CASE("acceptance and energy that were recorded and are no numbers are not judged") {
  const Summary summary = summary_of({real("x"), statistic("acceptance_rate"), statistic("energy")},
                                     [](std::size_t c, std::int64_t draw, Index chain, Index) {
                                       if (c == 1 && draw == 0) return std::nan("");
                                       return c == 2 ? 7.0 : scattered(draw, chain, 0);
                                     });
  REQUIRE(summary.not_judged.size() == 2);
  CHECK(summary.not_judged[0].figures == std::vector<std::string>{"acceptance"});
  CHECK(summary.not_judged[0].who() == "the sampler");
  CHECK(summary.not_judged[1].figures == std::vector<std::string>{"ebfmi"});
  CHECK(summary.not_judged[1].because == "the energy of a chain never changed");
}

TEST_CASE("the share of trajectories at the largest depth is that of the sweeps with one") {
  const Summary one =
      summary_of({real("x"), statistic("reached_max_treedepth", RecordType::boolean)},
                 [](std::size_t c, std::int64_t draw, Index chain, Index) {
                   return c == 1 ? double(draw % 4 == 0) : scattered(draw, chain, 0);
                 });
  CHECK(one.sampler.reached_max_depth == 0.25);
  // Of two kernels that take turns, each ran in half of the sweeps.
  const Summary mixture =
      summary_of({real("x"), statistic("a_acceptance_rate"),
                  statistic("a_reached_max_treedepth", RecordType::boolean)},
                 [](std::size_t c, std::int64_t draw, Index chain, Index) {
                   if (c == 1) return draw % 2 == 0 ? 0.8 : std::nan("");
                   return c == 2 ? double(draw % 4 == 0) : scattered(draw, chain, 0);
                 });
  REQUIRE(mixture.sampler.kernels.size() == 1);
  CHECK(mixture.sampler.kernels[0].reached_max_depth == 0.5);
  CHECK_FALSE(mixture.sampler.reached_max_depth.has_value());
}
