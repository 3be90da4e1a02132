// Several processes at work on one study end with the table that one process makes.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <nlohmann/json.hpp>
#include <signal.h>

#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <thread>

using end_to_end::contains;
using end_to_end::Outcome;
using end_to_end::read;
using end_to_end::Workplace;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::string run = "mixwell = 1\n[run]\nreplicates = 2\nwarmup = 20\ndraws = 3000\n";
const std::string parts =
    "[model.g]\nuse = \"gaussian\"\ndimension = 3\n[kernel.k]\nuse = \"hamiltonian\"\n"
    "step_size = 0.5\nsteps = 4\n";

/// 16 cells.
const std::string study =
    run + parts + "[study]\nrepeats = 4\n[study.axes]\nkernel.k.step_size = [0.1, 0.2, 0.3, 0.5]\n";

/// What is known of every cell, whoever ran it and when.
std::map<std::string, std::string> draws(const Workplace& place, const std::string& more = "") {
  const Outcome outcome = place.mixwell("study s.toml --table --json " + more);
  REQUIRE(outcome.code == 0);
  std::map<std::string, std::string> found;
  const Json table = Json::parse(outcome.out);
  for (const Json& row : table["rows"]) {
    std::string& of_cell = found[row.at("cell")];
    for (const char* const key : {"status", "draws_sha256", "error_mean"})
      of_cell += row.value(key, Json()).dump() + " ";
  }
  return found;
}

std::map<std::string, std::string> draws_of_one_process(const Workplace& place) {
  REQUIRE(place.mixwell("study s.toml --out alone --jobs 2").code == 0);
  return draws(place, "--out alone");
}

}  // namespace

TEST_CASE("Workers share a study out, and one that is killed leaves its cell to the others") {
  const Workplace place;
  place.write("s.toml", study);
  const auto expected = draws_of_one_process(place);
  const std::string program = std::string("\"") + MIXWELL_PROGRAM + "\"";
  const Outcome outcome =
      place.shell(program + " study s.toml --prepare --quiet && { for k in 1 2 3; do " + program +
                  " study s.toml --worker --jobs 1 --quiet & done; " + program +
                  " study s.toml --worker --jobs 1 --quiet & killed=$!; sleep 0.3; kill -9 "
                  "$killed; wait; } && " +
                  program + " study s.toml --worker --jobs 1 --quiet");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(draws(place) == expected);
  CHECK(place.mixwell("study s.toml --table").err.empty());
  // Who leads the study takes over what workers have done.
  CHECK(place.mixwell("study s.toml").code == 0);
  CHECK(draws(place) == expected);
  CHECK(place.mixwell("study s.toml --table").err.empty());
  CHECK_FALSE(fs::exists(place.path("out/s/claims")));
}

TEST_CASE("Who leads a study puts the index of ended cells in order; workers go on without it") {
  const Workplace place;
  place.write("s.toml", study);
  const auto expected = draws_of_one_process(place);
  REQUIRE(place.mixwell("study s.toml --prepare --quiet").code == 0);
  REQUIRE(place.mixwell("study s.toml --worker --jobs 1 --only 0.1 --quiet").code == 0);
  const auto indexed = [&place] {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(place.path("out/s/ended")))
      names.insert(entry.path().filename().string());
    return names;
  };
  const auto some = indexed();
  CHECK(some.size() == 4);
  // One without a record, one whose record goes, and one that is not there.
  place.write("out/s/ended/0123456789abcdef.done", "");
  const std::string cell = some.begin()->substr(0, some.begin()->find('.'));
  fs::remove_all(place.path("out/s/cells/" + cell));
  fs::remove(place.path("out/s/ended/" + *some.rbegin()));
  REQUIRE(place.mixwell("study s.toml --quiet").code == 0);
  CHECK(draws(place) == expected);
  std::set<std::string> all;
  for (const auto& [id, ignored] : expected) all.insert(id + ".done");
  CHECK(indexed() == all);
  fs::remove_all(place.path("out/s/ended"));
  CHECK(place.mixwell("study s.toml --worker --quiet").code == 0);
  CHECK(draws(place) == expected);
}

TEST_CASE("Cells on a disk of the node end in the study's folder, also when they are suspended") {
  const Workplace place;
  place.write("s.toml", study);
  const auto expected = draws_of_one_process(place);
  const std::string command = std::string("\"") + MIXWELL_PROGRAM +
                              "\" study s.toml --jobs 1 --quiet --scratch '" + place.path("node") +
                              "'";
  // TERM comes amid a cell, whose checkpoint another call goes on from.
  const std::string begun =
      "for i in $(seq 600); do ls node 2>/dev/null | grep -q mixwell && break; "
      "sleep 0.05; done; ";
  CHECK(place.shell(command + " & study=$!; " + begun + "kill -TERM $study; wait $study").code !=
        0);
  CHECK(fs::is_empty(place.path("node")));
  CHECK(place.shell(command).code == 0);
  CHECK(draws(place) == expected);
  CHECK(fs::is_empty(place.path("node")));
  for (const auto& entry : fs::directory_iterator(place.path("out/s/cells"))) {
    CHECK(entry.path().extension().empty());
    CHECK(fs::exists(entry.path() / "draws.nc"));
  }
}

TEST_CASE("A disk of the node that takes nothing fails the cells, and is named") {
  const Workplace place;
  place.write("s.toml", study);
  place.write("node", "a file");
  CHECK(place.mixwell("study s.toml --quiet --scratch node").code == 1);
  contains(place.mixwell("study s.toml --table --json").out, "node/mixwell-");
}

TEST_CASE("A study and its workers run at the same time, and nothing is run twice") {
  const Workplace place;
  place.write("s.toml", study);
  const auto expected = draws_of_one_process(place);
  const std::string program = std::string("\"") + MIXWELL_PROGRAM + "\"";
  const Outcome outcome = place.shell(
      program + " study s.toml --jobs 1 --json & leader=$!; for k in 1 2; do " + program +
      " study s.toml --worker --jobs 1 --json & done; wait $leader; code=$?; wait; exit $code");
  CHECK(outcome.code == 0);
  CHECK(draws(place) == expected);
  // Of each process the last line of progress.
  std::int64_t run_here = 0;
  std::map<std::int64_t, int> seen;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line);
    if (!json.contains("result")) continue;
    CHECK(json["result"]["failed"] == 0);
    ++run_here;
  }
  CHECK(run_here == 3);
  for (const auto& entry : fs::directory_iterator(place.path("out/s/cells"))) {
    const Json record = Json::parse(read(entry.path().string() + "/cell.json"));
    CHECK(record["rows"]["cells"][0]["attempts"] == 1);
  }
}

TEST_CASE("Workers tune each variant once, and wait for references that are elsewhere") {
  const Workplace place;
  place.write("s.toml",
              run + parts +
                  "[study]\nrepeats = 2\nkeep = \"summary\"\nreference_variant = \"long\"\n"
                  "[study.tune]\ngradients = 20000\ncandidates = 4\nrungs = 2\n"
                  "[study.variant.long]\nrun.draws = 6000\n"
                  "[study.variant.hmc.tune]\nkernel.k.step_size = { from = 0.05, to = 1.0 }\n"
                  "[study.variant.walk]\nkernel.k = { use = \"random-walk-metropolis\" }\n"
                  "[study.variant.walk.tune]\nkernel.k.step_size = [0.1, 1.0]\n");
  const auto expected = draws_of_one_process(place);
  const std::string program = std::string("\"") + MIXWELL_PROGRAM + "\"";
  const std::string workers =
      "for k in 1 2 3; do " + program + " study s.toml --worker --jobs 1 --quiet & done; wait";
  // As stages on a cluster: each call does what can be done then.
  REQUIRE(place.mixwell("study s.toml --prepare --quiet").code == 0);
  for (int stage = 0; stage < 3; ++stage) REQUIRE(place.shell(workers).code == 0);
  CHECK(draws(place) == expected);
  const Json one = Json::parse(place.mixwell("study s.toml --table --json --out alone").out);
  const Json many = Json::parse(place.mixwell("study s.toml --table --json").out);
  REQUIRE(one["tune"].size() == many["tune"].size());
  for (std::size_t k = 0; k < one["tune"].size(); ++k)
    CHECK(one["tune"][k]["score"] == many["tune"][k]["score"]);
}

TEST_CASE("A worker whose files differ from those of the study is refused, and the file named") {
  const Workplace place;
  place.write("d.csv", "x,y\n1,1\n2,0\n3,1\n4,0\n");
  place.write("s.toml", run +
                            "[model.m]\nuse = \"logistic-regression\"\ndata = \"d.csv\"\n"
                            "response = \"y\"\n[kernel.k]\nuse = \"random-walk-metropolis\"\n"
                            "step_size = 0.5\n[study]\nrepeats = 2\n");
  REQUIRE(place.mixwell("study s.toml --prepare").code == 0);
  place.write("d.csv", "x,y\n1,1\n2,0\n3,1\n4,1\n");
  const Outcome other = place.mixwell("study s.toml --worker");
  CHECK(other.code == 2);
  contains(other.err, "d.csv changed");
  contains(other.err, "--prepare");
  CHECK(place.mixwell("study s.toml --prepare").code == 0);
  CHECK(place.mixwell("study s.toml --worker").code == 0);
}

TEST_CASE("A script for Slurm is written where there is none, and says what to do") {
  const Workplace place;
  place.write("s.toml", study);
  place.write("modules.sh", "module load gcc\n");
  fs::create_directory(place.path("bin"));
  const Outcome outcome = place.mixwell(
      "study s.toml --slurm --workers 5 --limit 2 --time 1:00:00 --partition fast --mem 2G "
      "--account a --qos q --cpus-per-task 2 --sbatch=--constraint=avx2 --prologue modules.sh",
      "PATH=\"$PWD/bin\"");
  CHECK(outcome.code == 2);
  contains(outcome.err, "`sbatch` is not on PATH");
  const std::string script = read(place.path("out/s/slurm/workers.sh"));
  for (const char* const line :
       {"--array=0-4%2", "--time=1:00:00", "--partition=fast", "--mem=2G", "--account=a", "--qos=q",
        "--cpus-per-task=2", "#SBATCH --constraint=avx2", "module load gcc", "--jobs 2",
        "--worker"})
    contains(script, line);
}
