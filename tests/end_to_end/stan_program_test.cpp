// A program in the Stan language instead of a manifest, read by an engine made by hand.
// SPDX-License-Identifier: Apache-2.0
#include "background.hpp"

#include <cmath>

using namespace end_to_end;
using Json = nlohmann::json;

namespace {

// The comment is what that engine looks for (tests/stan/library.cpp).
constexpr const char* program =
    "parameters { real mu; real<lower=0> sigma; simplex[2] p; } // real \"mu\"\n";
constexpr const char* engine = "MIXWELL_STANLI=" MIXWELL_BUILD_DIR "/tests/stan/libstanli.so";
/// The same, but generated quantities never end.
constexpr const char* endless = "MIXWELL_STANLI=" MIXWELL_BUILD_DIR "/tests/stan/endless.so";

Outcome interpreted(const Workplace& place, const std::string& arguments) {
  return place.mixwell(arguments + " --set model.stan.engine=interpret", engine);
}

/// A run of `program` in the folder `run`.
void make_run(const Workplace& place) {
  place.write("two.stan", program);
  place.write("two.json", "{\"m\": 2}");
  const Outcome run =
      interpreted(place, "run two.stan --quiet --out run --set run.warmup=20 --set run.draws=20");
  INFO(run.err);
  REQUIRE(run.code == 0);
}

/// Words of the error of `mixwell generate`, which leaves no folder.
void cannot_generate(const Workplace& place, const std::string& arguments, const std::string& with,
                     const std::string& part) {
  const Outcome outcome = place.mixwell("generate " + arguments + " --out made", with);
  INFO(arguments);
  CHECK(outcome.code == 2);
  contains(outcome.err, part);
  CHECK(outcome.err.find("--set") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(place.path("made")));
}

/// The first signal is answered with what the program is in, and the second one ends it.
void ends_by_second_signal(Background& process, int signal, const std::string& words) {
  REQUIRE(process.says("stub: endless"));
  process.send(signal);
  CHECK(process.says(words));
  CHECK(process.says("A second signal ends the program immediately"));
  process.send(signal);
  const int status = process.status();
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == signal);
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
  contains(part.err, "needs.json: the file has no values for variables that ");
  contains(part.err, "`vector[N] y` (line 2)");
  place.write("needs.json", "{\"m\": 2, \"N\": 2, \"y\": [[1, 2]]}");
  contains(interpreted(place, "check needs.stan").err, "needs.json:1:23: `y` is an array of 1 x 2");
  place.write("needs.json", "{\"m\": 2, \"N\": 2, \"y\": [1, 2]}");
  CHECK(interpreted(place, "check needs.stan").code == 0);
  std::filesystem::create_directory(place.path("folder.stan"));
  contains(interpreted(place, "check folder.stan").err,
           "folder.stan: this is a folder, not a program");
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
  contains(absent.err, "three.stan: there is no program at this path");
}

TEST_CASE("Another program generates from a run, and what does not fit is told without --set") {
  const Workplace place;
  make_run(place);
  const Outcome made = place.mixwell("generate run --program two.stan", engine);
  CHECK(made.code == 0);
  contains(made.out, "20 draws per chain (4 chains) are in run-two/draws.nc");
  place.write("renamed.stan",
              "parameters { real mu; real<lower=0> sigma; simplex[2] q; } // real \"mu\"\n");
  cannot_generate(
      place, "run --program renamed.stan", engine,
      "renamed.stan: the program does not declare all parameters of the run (folder run). These "
      "parameters are missing: `p`. The program must declare them even if it does not use them. "
      "Copy the block `parameters` from " +
          place.path("two.stan"));
  cannot_generate(place, "run --program none.stan", engine,
                  "none.stan: there is no program at this path");
  cannot_generate(place, "run --program run", engine, "run: this is a folder, not a program");
  cannot_generate(place, "run --program two.stan --data no.json", engine,
                  "no.json: there is no data file at this path");
  place.write("other.json", "{\"n\": 2}");
  cannot_generate(place, "run --program two.stan --data other.json", engine, "variable name=m");
  place.write("g.toml",
              "mixwell = 1\n[run]\nwarmup = 2\ndraws = 5\n[model.g]\nuse = \"gaussian\"\n"
              "dimension = 1\n[kernel.nuts]\nuse = \"nuts\"\n");
  REQUIRE(place.mixwell("run g.toml --quiet --out plain").code == 0);
  cannot_generate(place, "plain --program two.stan", engine,
                  "plain: the model `g` of the run is not a Stan program");
}

TEST_CASE("A second signal ends generated quantities that never end") {
  const Workplace place;
  make_run(place);
  for (const int signal : {SIGINT, SIGTERM}) {
    Background run(place, "run two.stan --out stuck --set model.stan.engine=interpret", endless);
    ends_by_second_signal(run, signal, "still in the operation `record theta/generate`");
    Background generate(place, "generate run --program two.stan --out made", endless);
    ends_by_second_signal(generate, signal, "still in the computation of the generated quantities");
    std::filesystem::remove_all(place.path("made"));
  }
}
