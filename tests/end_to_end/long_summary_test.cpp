// The summary of a run with very many elements.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

using namespace end_to_end;
using Json = nlohmann::ordered_json;

namespace {

std::string wide_manifest(const std::string& run, int dimension) {
  return "mixwell = 1\n[run]\nwarmup = 2\ndraws = 12\nreplicates = 2\n" + run +
         "[model.g]\nuse = \"gaussian\"\ndimension = " + std::to_string(dimension) +
         "\n[estimator.identity]\nuse = \"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size "
         "= 0.3\nsteps = 2\n";
}

}  // namespace

TEST_CASE("A run of very many elements shows the worst and keeps all in summary.nc") {
  const Workplace place;
  place.write("m.toml", wide_manifest("summary_rows = [\"x[20004]\", \"x[3]\"]\n", 20005));
  const Outcome ran = place.mixwell("run m.toml");
  CHECK(ran.code == 0);
  contains(
      ran.out,
      " of 20005 elements are left out. The table shows mainly the elements with the smallest ess "
      "or the largest rhat. All elements are in summary.nc");
  CHECK(std::filesystem::exists(place.path("out/m/summary.nc")));
  const Json kept = Json::parse(read(place.path("out/m/summary.json")));
  CHECK(kept["variables"].contains("x[3]"));
  CHECK(kept["variables"].contains("x[20004]"));
  CHECK(kept["left_out"]["of"] == 20005);
  const Outcome again = place.mixwell("summary out/m --json --rows x[3] --rows x[20004]");
  CHECK(Json::parse(again.out)["variables"] == kept["variables"]);
  CHECK(place.mixwell("summary out/m --table all.nc").code == 0);
  CHECK(read(place.path("all.nc")) == read(place.path("out/m/summary.nc")));
  place.write("m.toml", wide_manifest("", 5));
  CHECK(place.mixwell("run m.toml --force").code == 0);
  CHECK_FALSE(std::filesystem::exists(place.path("out/m/summary.nc")));
}

TEST_CASE("A row that no variable has is refused before the first draw") {
  const Workplace place;
  place.write("m.toml", wide_manifest("summary_rows = [\"x[5]\"]\n", 5));
  for (const char* const command : {"check m.toml", "run m.toml"}) {
    const Outcome refused = place.mixwell(command);
    CHECK(refused.code == 2);
    contains(refused.err,
             "[run] summary_rows x[5]: \"x[5]\" is out of range: index 5 is outside a dimension of "
             "length 5");
  }
  CHECK_FALSE(std::filesystem::exists(place.path("out/m/draws.nc")));
}

TEST_CASE("Draws too many to be summarised in the memory there is are refused before the first") {
  const Workplace place;
  place.write("m.toml", wide_manifest("", 1));
  const std::string many = " --set run.draws=2000000";
  for (const char* const command : {"check m.toml", "run m.toml"}) {
    const Outcome refused = place.mixwell(command + many, "MIXWELL_MEMORY=200M");
    CHECK(refused.code == 2);
    contains(refused.err, "run.draws = 2000000: the summary of 4000000 draws of a variable needs");
  }
  CHECK_FALSE(std::filesystem::exists(place.path("out/m")));
  const std::string ended = "run m.toml" + many + " --set run.stop_gradients=1000";
  CHECK(place.mixwell(ended, "MIXWELL_MEMORY=200M").code == 0);
}

TEST_CASE("A summary has the memory that a run of as many draws was granted") {
  const Workplace place;
  place.write("m.toml", wide_manifest("", 2));
  CHECK(place.mixwell("run m.toml --set run.draws=500000", "MIXWELL_MEMORY=160M").code == 0);
  CHECK(place.mixwell("summary out/m", "MIXWELL_MEMORY=160M").code == 0);
  const Outcome refused = place.mixwell("summary out/m", "MIXWELL_MEMORY=140M");
  CHECK(refused.code == 2);
  contains(refused.err, "draws.nc: the summary of 1000000 draws of a variable needs 155 MiB");
}

TEST_CASE("A signal during the summary leaves it out and says how to make it", "[slow]") {
  const Workplace place;
  place.write("m.toml",
              "mixwell = 1\n[run]\nwarmup = 2\ndraws = 40000\nreplicates = 4\n[model.g]\n"
              "use = \"gaussian\"\ndimension = 100\n[estimator.identity]\nuse = "
              "\"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nstep_size = 0.3\nsteps = "
              "1\n");
  for (const char* const signal : {"INT", "TERM"}) {
    const Outcome stopped = place.mixwell(
        "run m.toml --quiet --force --threads 1 & pid=$!; for i in $(seq 3000); do "
        "test -e out/m/draws.nc && break; sleep 0.01; done; sleep 0.2; kill -" +
        std::string(signal) + " $pid; wait $pid");
    CHECK(stopped.code == 1);
    contains(stopped.err,
             "interrupted. All draws are in out/m/draws.nc. `mixwell summary out/m` computes the "
             "missing summary");
    CHECK(Json::parse(read(place.path("out/m/run.json")))["outcome"] == "complete");
    CHECK_FALSE(std::filesystem::exists(place.path("out/m/summary.json")));
    std::filesystem::remove(place.path("out/m/draws.nc"));
  }
}
