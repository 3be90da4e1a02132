// A program in the Stan language in the place of a manifest, read by an engine made by hand.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <cmath>

using namespace end_to_end;
using Json = nlohmann::json;

namespace {

// The comment is what that engine looks for (tests/stan/library.cpp).
constexpr const char* program =
    "parameters { real mu; real<lower=0> sigma; simplex[2] p; } // real \"mu\"\n";
constexpr const char* engine = "MIXWELL_STANLI=" MIXWELL_BUILD_DIR "/tests/stan/libstanli.so";

Outcome interpreted(const Workplace& place, const std::string& arguments) {
  return place.mixwell(arguments + " --set model.stan.engine=interpret", engine);
}

}  // namespace

TEST_CASE("A program with the data beside it is sampled by the defaults") {
  const Workplace place;
  std::filesystem::create_directory(place.path("my programs"));
  place.write("my programs/two.stan", program);
  place.write("my programs/two.json", "{\"n\": 2}");
  place.write("my programs/two.data.json", "{\"m\": 2}");
  const Outcome run = interpreted(place, "run \"my programs/two.stan\" --quiet");
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Json summary = Json::parse(read(place.path("out/two/summary.json")));
  CHECK(std::abs(summary.at("/variables/mu/mean"_json_pointer).get<double>() - 2) < 0.2);
  const std::string manifest = read(place.path("out/two/manifest.toml"));
  contains(manifest, "use = \"nuts\"");
  contains(manifest, "two.data.json");
  const Outcome again = place.mixwell("run out/two/manifest.toml --out again --quiet", engine);
  CHECK(again.code == 0);
  CHECK(draws_hash(place, "again") == draws_hash(place, "out/two"));
}

TEST_CASE("A program whose data are missing is told what it needs and where that is looked for") {
  const Workplace place;
  place.write("needs.stan", std::string("data { int N;\n vector[N] y; }\n") + program);
  const Outcome none = interpreted(place, "check needs.stan");
  CHECK(none.code == 2);
  contains(none.err, "the program needs `int N` (line 1), `vector[N] y` (line 2).");
  contains(none.err, "write them to `needs.data.json` or `needs.json` in ");
  place.write("needs.json", "{\"m\": 2, \"N\": 2}");
  const Outcome part = interpreted(place, "check needs.stan");
  CHECK(part.code == 2);
  contains(part.err, "needs.json: lacks what ");
  contains(part.err, "`vector[N] y` (line 2)");
  place.write("needs.json", "{\"m\": 2, \"N\": 2, \"y\": [[1, 2]]}");
  contains(interpreted(place, "check needs.stan").err, "needs.json:1:23: `y` is an array of 1 x 2");
  place.write("needs.json", "{\"m\": 2, \"N\": 2, \"y\": [1, 2]}");
  CHECK(interpreted(place, "check needs.stan").code == 0);
  std::filesystem::create_directory(place.path("folder.stan"));
  contains(interpreted(place, "check folder.stan").err, "folder.stan: is a folder, and no program");
}

TEST_CASE("A program whose data are refused is told so in the words of its engine") {
  const Workplace place;
  place.write("two.stan", program);
  const Outcome missing = interpreted(place, "check two.stan");
  CHECK(missing.code == 2);
  contains(missing.err, "variable name=m");
  place.write("two.json", "{\"m\": 2}");
  CHECK(interpreted(place, "check two.stan").code == 0);
  const Outcome absent = interpreted(place, "check three.stan");
  CHECK(absent.code == 2);
  contains(absent.err, "three.stan: there is no such program");
}
