// mixwell export, of runs as the program leaves them.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>

using namespace end_to_end;

namespace {

constexpr const char* exported = " --format cmdstan-csv";

std::string rows_of(const Workplace& place, const std::string& file) {
  return place.shell("grep -v '^#' " + file).out;
}

}  // namespace

TEST_CASE("An export has a file for each chain, beside draws.nc or in a folder") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest("replicates = 3\n"));
  REQUIRE(place.mixwell("run m.toml --quiet").code == 0);
  CHECK(place.mixwell("export out/m" + std::string(exported)).out ==
        "200 draws per chain (3 chains) are in out/m/draws_1.csv to draws_3.csv\n");
  CHECK(place.mixwell("export out/m/draws.nc --out new/csv --quiet" + std::string(exported)).out ==
        "");
  for (const char* const file : {"draws_1.csv", "draws_2.csv", "draws_3.csv"}) {
    const std::string rows = rows_of(place, "out/m/" + std::string(file));
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 201);
    CHECK(read(place.path("out/m/" + std::string(file))) ==
          read(place.path("new/csv/" + std::string(file))));
  }
  contains(rows_of(place, "out/m/draws_1.csv"),
           "lp__,accept_stat__,stepsize__,n_leapfrog__,divergent__,energy__,x.1,x.2,x.3,"
           "energy_error__\n");
}

TEST_CASE("A run that replaces another takes away what was exported from it") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run m.toml --quiet").code == 0);
  REQUIRE(place.mixwell("export out/m" + std::string(exported)).code == 0);
  REQUIRE(place.mixwell("run m.toml --quiet --force").code == 0);
  CHECK_FALSE(std::filesystem::exists(place.path("out/m/draws_1.csv")));
  CHECK_FALSE(std::filesystem::exists(place.path("out/m/draws_4.csv")));
}

TEST_CASE("A cell of a study is exported as a run is") {
  const Workplace place;
  place.write("s.toml", gaussian_manifest() + "[study]\nseeds = [1]\nkeep = \"draws\"\n");
  REQUIRE(place.mixwell("study s.toml --quiet").code == 0);
  const std::string cell = place.shell("dirname out/s/cells/*/draws.nc").out;
  CHECK(place.mixwell("export " + cell.substr(0, cell.size() - 1) + exported).code == 0);
}

TEST_CASE("What is no run is refused in one sentence, and what did not end is named") {
  const Workplace place;
  place.write("there/notes.txt", "");
  place.write("killed/resume/draws.nc.partial", "");
  const auto refusal = [&](const std::string& run) {
    const Outcome outcome = place.mixwell("export " + run + exported);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  contains(refusal("nowhere"),
           "nowhere: this file does not exist. Give a draws.nc file, or a run folder");
  contains(refusal("there"),
           "there/draws.nc: this file does not exist. Give a draws.nc file, or a run folder");
  contains(refusal("there/notes.txt"), "Use the complete draws.nc of a run");
  contains(refusal("killed"),
           "stopped early or is still active. Continue a stopped run with `mixwell run --resume "
           "killed`");
  CHECK(place.shell("ls there").out == "notes.txt\n");
}
