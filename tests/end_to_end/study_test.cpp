// Studies as a user runs them: nothing twice, nothing lost, whatever happens to cells or processes.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

using end_to_end::contains;
using end_to_end::Outcome;
using end_to_end::read;
using end_to_end::with_plugins;
using end_to_end::Workplace;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::string small_run = "mixwell = 1\n[run]\nreplicates = 2\nwarmup = 20\ndraws = 100\n";
const std::string gaussian = "[model.g]\nuse = \"gaussian\"\ndimension = 3\n";
const std::string hmc = "[kernel.k]\nuse = \"hamiltonian\"\nstep_size = 0.5\nsteps = 4\n";

/// 2 variants, 3 step sizes for one of them, 2 seeds: 8 cells.
const std::string eight_cells =
    small_run + gaussian + hmc +
    "[study]\nseeds = [1, 2]\n[study.variant.hmc.axes]\nkernel.k.step_size = [0.1, 0.3, 0.5]\n"
    "[study.variant.walk]\nkernel.k = { use = \"random-walk-metropolis\" }\n";

Json table(const Workplace& place, const std::string& more = "") {
  const Outcome outcome = place.mixwell("study s.toml --table --json " + more);
  REQUIRE(outcome.code == 0);
  return Json::parse(outcome.out);
}

/// Rows without what time and place decide.
Json timeless(const Json& table) {
  Json rows = table["rows"];
  for (Json& row : rows) {
    for (const char* const key :
         {"seconds", "warmup_seconds", "cell_seconds", "started_at", "ended_at", "host", "attempts",
          "mean_ess_per_second", "min_ess_per_second", "min_ess_per_second_mcse", "curve"}) {
      row.erase(key);
    }
  }
  return rows;
}

/// A study of one cell that is compared with r.csv.
void run_compared_with_file(const Workplace& place) {
  place.write("r.csv", "x[0],x[1],x[2]\n1,2,3\n-1,0,-3\n2,-1,1\n0,1,1\n");
  place.write("s.toml", small_run + gaussian + hmc + "[study]\nreference = \"r.csv\"\n");
  REQUIRE(place.mixwell("study s.toml").code == 0);
}

std::int64_t ended(const Outcome& outcome) {
  const std::size_t last = outcome.out.rfind("{\"progress\"");
  REQUIRE(last != std::string::npos);
  const std::string line = outcome.out.substr(last, outcome.out.find('\n', last) - last);
  return Json::parse(line)["progress"]["ended"].get<std::int64_t>();
}

std::map<std::string, std::string> cells_by_place(const Json& table) {
  std::map<std::string, std::string> found;
  for (const Json& row : table["rows"]) {
    std::string place =
        row["variant"].get<std::string>() + row["model"].get<std::string>() + row["seed"].dump();
    for (const Json& axis : table["axes"]) place += row[axis.get<std::string>()].dump();
    found[place] = row["cell"];
  }
  return found;
}

const std::string faulty = "tests/wrong/faulty_model.so";
const std::string slice = "examples/undeclared/kernel-coordinate-slice.so";

std::string faults(const std::string& study, const std::vector<std::string>& names) {
  std::string text = small_run + hmc + study;
  for (const std::string& name : names) {
    text +=
        "[study.model." + name + "]\nmodel.g = { use = \"faulty\", fault = \"" + name + "\" }\n";
  }
  return text;
}

Json row_of(const Json& table, const std::string& model) {
  for (const Json& row : table["rows"]) {
    if (row["model"] == model) return row;
  }
  FAIL("no row of " + model);
  return {};
}

pid_t start(const Workplace& place, const std::string& arguments) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child != 0) return child;
  if (::chdir(place.path("").c_str()) != 0) _exit(99);
  const std::string line = std::string("exec \"") + MIXWELL_PROGRAM + "\" " + arguments +
                           " >background.out 2>background.err";
  execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
  _exit(99);
}

/// Files of the process and its children may not grow beyond `bytes`.
pid_t start_limited(const Workplace& place, const std::string& arguments, rlim_t bytes) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit before = limit;
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const pid_t child = start(place, arguments);
  ::setrlimit(RLIMIT_FSIZE, &before);
  return child;
}

void lift_limit(pid_t process) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  std::ifstream children("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) +
                         "/children");
  ::prlimit(process, RLIMIT_FSIZE, &limit, nullptr);
  for (pid_t child = 0; children >> child;) ::prlimit(child, RLIMIT_FSIZE, &limit, nullptr);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("A study runs its cells once, and its table says what came of them") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  const Outcome first = place.mixwell("study s.toml --jobs 2 --json");
  CHECK(first.code == 0);
  CHECK(ended(first) == 8);
  const Json result = table(place);
  REQUIRE(result["rows"].size() == 8);
  CHECK(result["study"] == "s");
  CHECK(result["axes"] == Json::array({"kernel.k.step_size"}));
  for (const Json& row : result["rows"]) {
    CHECK(row["status"] == "done");
    CHECK(row["class"] == "exact");
    CHECK(row["outcome"] == "draws");
    CHECK(row["min_ess"].get<double>() > 1);
    CHECK(row["draws"] == 100);
    for (const Json& column : result["columns"]) CHECK(row.contains(column.get<std::string>()));
    const auto cell = row["cell"].get<std::string>();
    const Json run = Json::parse(read(place.path("out/s/cells/" + cell + "/run.json")));
    CHECK(run["draws_sha256"] == row["draws_sha256"]);
    CHECK(fs::exists(place.path("out/s/cells/" + cell + "/draws.nc")));
  }
  const Outcome second = place.mixwell("study s.toml --jobs 2 --json");
  CHECK(second.code == 0);
  CHECK(ended(second) == 0);
  CHECK(table(place) == result);

  const Outcome csv = place.mixwell("study s.toml --table --csv");
  CHECK(
      csv.out.starts_with("cell,variant,model,seed,status,reason,class,min_ess,min_ess_mcse,"
                          "gradients,seconds,kernel.k.step_size,"));
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 9);
  contains(place.mixwell("study s.toml --table").out, "  walk  ");
}

TEST_CASE("A cell of a study draws what its manifest draws alone") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  REQUIRE(place.mixwell("study s.toml --jobs 1").code == 0);
  const Json row = table(place)["rows"][3];
  const std::string folder = "out/s/cells/" + row["cell"].get<std::string>();
  REQUIRE(place.mixwell("run " + folder + "/manifest.toml --out alone --quiet").code == 0);
  CHECK(Json::parse(read(place.path("alone/run.json")))["draws_sha256"] == row["draws_sha256"]);
}

TEST_CASE("Only the cells asked for run, and the others later") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  CHECK(ended(place.mixwell("study s.toml --json --only '*/walk/*'")) == 2);
  CHECK(ended(place.mixwell("study s.toml --json --only step_size=0.3")) == 2);
  CHECK(ended(place.mixwell("study s.toml --json")) == 4);
}

TEST_CASE("A change of a study runs the new cells and keeps the old") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  CHECK(place.mixwell("study s.toml --json").code == 0);
  place.write("s.toml",
              "# A comment.\n" + eight_cells + "[study.variant.short]\nkernel.k.steps = 2\n");
  CHECK(ended(place.mixwell("study s.toml --json")) == 2);
  CHECK(table(place)["rows"].size() == 10);
  place.write("s.toml", eight_cells);
  CHECK(ended(place.mixwell("study s.toml --json")) == 0);
  CHECK(table(place)["rows"].size() == 8);
}

TEST_CASE("An edited plugin runs exactly its users anew, and --why says so") {
  const Workplace place;
  const std::string before = with_plugins(place, {slice});
  place.write("s.toml", small_run + "allow = [\"biased\"]\n" + gaussian + hmc +
                            "[study]\nrepeats = 2\n[study.variant.hmc]\n[study.variant.slice]\n"
                            "kernel.k = { use = \"coordinate-slice\" }\n");
  const Outcome first = place.mixwell("study s.toml --json", before);
  CHECK(first.err.empty());
  CHECK(ended(first) == 4);
  const auto old_cells = cells_by_place(table(place));
  std::ofstream(place.path("plugins/kernel-coordinate-slice.so"), std::ios::app) << "edited";
  CHECK(ended(place.mixwell("study s.toml --json", before)) == 2);
  const auto new_cells = cells_by_place(table(place));
  for (const auto& [where, cell] : new_cells) {
    CHECK((old_cells.at(where) == cell) == where.starts_with("hmc"));
  }
  const std::string changed = new_cells.at("slicebase1");
  const Outcome why = place.mixwell("study s.toml --why " + changed);
  contains(why.out, "plugin library kernel-coordinate-slice.so changed: ");
  CHECK(why.out.find("data file") == std::string::npos);
  contains(place.mixwell("study s.toml --why base/hmc/1").out, "first cell");
}

TEST_CASE("What no cell uses is not read, however large it is") {
  const Workplace place;
  const std::string vast = place.path("plugins/model-vast.so");
  place.write("plugins/model-vast.so", "no library");
  fs::resize_file(vast, std::uintmax_t{1} << 38);  // a hole
  place.write("s.toml", small_run + gaussian + hmc + "[study]\n");
  const std::string before = "MIXWELL_PLUGIN_PATH=\"" + place.path("plugins") + "\" timeout 60";
  CHECK(place.mixwell("study s.toml", before).code == 0);
}

TEST_CASE("Edited data run exactly their users anew; a file that is only touched does not") {
  const Workplace place;
  place.write("c.csv", "a,b\n1,0.5\n0.5,1\n");
  place.write("d.csv", "a,b\n1,0.25\n0.25,1\n");
  place.write("s.toml", small_run + hmc +
                            "[study]\n[study.model.c]\nmodel.g = { use = \"gaussian\", "
                            "covariance = \"dense\", file = \"c.csv\" }\n[study.model.d]\n"
                            "model.g = { use = \"gaussian\", covariance = \"dense\", file = "
                            "\"d.csv\" }\n");
  CHECK(ended(place.mixwell("study s.toml --json")) == 2);
  place.write("d.csv", "a,b\n1,0.125\n0.125,1\n");
  fs::last_write_time(place.path("c.csv"), fs::file_time_type::clock::now() + 10s);
  CHECK(ended(place.mixwell("study s.toml --json")) == 1);
  contains(place.mixwell("study s.toml --why d/base/1").out, "d.csv changed: ");
}

// Sanitizers map more memory than a limit leaves, and end crashing processes in their own way.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("Whatever a plugin does to its process fails that cell alone, with the reason",
          "[slow]") {
  const Workplace place;
  const std::string plugins = with_plugins(place, {faulty});
  place.write("s.toml", faults("[study]\nmemory = 2000\ncell_seconds = 4.0\n",
                               {"none", "segfault", "segfault-when-made", "abort", "exit", "memory",
                                "sleep", "throw"}));
  const Outcome outcome = place.mixwell("study s.toml --jobs 2 --json", plugins);
  CHECK(outcome.code == 1);
  contains(outcome.err, "7 of 8 cells failed");
  const Json result = table(place);
  CHECK(row_of(result, "none")["status"] == "done");
  const auto reason = [&](const std::string& model, const std::string& part) {
    const Json row = row_of(result, model);
    CHECK(row["status"] == "failed");
    contains(row["reason"].get<std::string>(), part);
  };
  reason("segfault", "Segmentation fault (SIGSEGV)");
  reason("segfault-when-made", "Segmentation fault (SIGSEGV)");
  reason("abort", "Aborted (SIGABRT); its last output: assertion `cat is alive' failed");
  reason("exit", "the worker process exited with code 7");
  reason("memory", "memory");
  reason("sleep", "took longer than cell_seconds = 4");
  reason("throw", "the model gives up");

  CHECK(ended(place.mixwell("study s.toml --json", plugins)) == 0);
  const Outcome again = place.mixwell("study s.toml --retry --json --only 'abort/*'", plugins);
  CHECK(ended(again) == 1);
}
#endif

TEST_CASE("A plugin that crashes in one cell of ten leaves the others as they are without it") {
  const Workplace place;
  const std::string plugins = with_plugins(place, {faulty});
  const auto study = [](const std::string& crash) {
    return small_run + hmc +
           "[study]\nrepeats = 9\nkeep = \"summary\"\n[study.model.fine]\n"
           "model.g = { use = \"faulty\" }\n[study.model.bad]\nmodel.g = { use = \"faulty\", fault "
           "= \"" +
           crash + "\" }\n[[study.exclude]]\nmodel = \"bad\"\nseed = [1, 2, 3, 4, 5, 6, 7, 8]\n";
  };
  place.write("s.toml", study("segfault"));
  CHECK(place.mixwell("study s.toml --jobs 2 --json", plugins).code == 1);
  const Json crashed = table(place);
  CHECK(std::count_if(crashed["rows"].begin(), crashed["rows"].end(),
                      [](const Json& row) { return row["status"] == "done"; }) == 9);
  place.write("s.toml", study("none"));
  CHECK(ended(place.mixwell("study s.toml --json", plugins)) == 1);
  // What came of each cell, and none of its results.
  int cells = 0;
  for (const auto& entry : fs::recursive_directory_iterator(place.path("out/s/cells"))) {
    if (entry.is_directory()) continue;
    CHECK(entry.path().filename() == "cell.json");
    ++cells;
  }
  CHECK(cells >= 10);
}

TEST_CASE("Cells that the certificate refuses fail without running") {
  const Workplace place;
  place.write("s.toml", small_run + gaussian + hmc +
                            "[study]\n[study.variant.fine]\n[study.variant.optimiser]\n"
                            "kernel.k = { use = \"gradient-descent\" }\n");
  const Outcome dry = place.mixwell("study s.toml --dry-run");
  CHECK(dry.code == 0);
  contains(dry.out, "refused: ");
  contains(dry.out, "2 cells: 1 pending 1 refused");
  CHECK_FALSE(fs::exists(place.path("out")));
  CHECK(place.mixwell("study s.toml --json").code == 1);
  bool refused = false;
  const Json result = table(place);
  for (const Json& row : result["rows"]) {
    if (row["variant"] != "optimiser") continue;
    refused = row["status"] == "failed";
    contains(row["reason"].get<std::string>(), "refused: ");
    CHECK(row["attempts"] == 0);
  }
  CHECK(refused);
}

TEST_CASE("A dry run estimates the gradients of a static trajectory well") {
  const Workplace place;
  place.write("s.toml", small_run + gaussian + hmc + "[study]\nrepeats = 2\n");
  const Json plan = Json::parse(place.mixwell("study s.toml --dry-run --json").out);
  REQUIRE(place.mixwell("study s.toml").code == 0);
  const Json row = table(place)["rows"][0];
  const double spent = row["gradients"].get<double>() + row["warmup_gradients"].get<double>();
  CHECK(plan["cells"][0]["cell"] == row["cell"]);
  CHECK(plan["cells"][0]["gradients"].get<double>() == Approx(spent).epsilon(0.05));
}

TEST_CASE("A wrong cell keeps the study from beginning") {
  const Workplace place;
  place.write("s.toml", small_run + gaussian + hmc +
                            "[study]\n[study.axes]\nkernel.k.step_size = [0.1, -1.0]\n");
  const Outcome outcome = place.mixwell("study s.toml");
  CHECK(outcome.code == 2);
  contains(outcome.err, "s.toml:15:10: kernel.k.step_size = -1.0: must be above 0");
  contains(outcome.err, "1 of 2 cells");
  CHECK(place.mixwell("study absent.toml").code == 2);
  CHECK(place.mixwell("study s.toml --table --out nowhere").code == 2);
}

TEST_CASE("A second process on the same study is refused while the first is at work") {
  const Workplace place;
  const std::string plugins = with_plugins(place, {faulty});
  place.write("s.toml", faults("[study]\n", {"slow"}));
  ::setenv("MIXWELL_PLUGIN_PATH", place.path("plugins").c_str(), 1);
  const pid_t first = start(place, "study s.toml --jobs 1");
  for (int k = 0; k < 200 && !fs::exists(place.path("out/s/study.sqlite")); ++k)
    std::this_thread::sleep_for(20ms);
  const Outcome second = place.mixwell("study s.toml");
  CHECK(second.code == 2);
  contains(second.err, "process " + std::to_string(first));
  contains(second.err, "is working on this study");
  ::kill(first, SIGKILL);
  CHECK(wait_for(first) == -SIGKILL);
  ::unsetenv("MIXWELL_PLUGIN_PATH");
}

namespace {

/// That draw, or have drawn.
std::ptrdiff_t cells_at_work(const Workplace& place) {
  const fs::path cells = place.path("out/s/cells");
  if (!fs::exists(cells)) return 0;
  return std::count_if(fs::directory_iterator(cells), {}, [](const auto& cell) {
    return fs::exists(cell.path() / "resume") || fs::exists(cell.path() / "draws.nc");
  });
}

}  // namespace

TEST_CASE("Ctrl-C ends a study in good order, and the same command goes on") {
  const Workplace place;
  const std::string plugins = with_plugins(place, {faulty});
  place.write("s.toml", faults("[study]\nrepeats = 2\n", {"none", "slow"}));
  ::setenv("MIXWELL_PLUGIN_PATH", place.path("plugins").c_str(), 1);
  const pid_t study = start(place, "study s.toml --jobs 2");
  ::unsetenv("MIXWELL_PLUGIN_PATH");
  for (int k = 0; k < 1500 && cells_at_work(place) < 4; ++k) std::this_thread::sleep_for(20ms);
  ::kill(study, SIGINT);
  CHECK(wait_for(study) == 1);
  contains(read(place.path("background.err")),
           "the study was interrupted. The same command continues the study");
  const Json half = table(place);
  for (const Json& row : half["rows"]) {
    CHECK((row["status"] == "done" || row["status"] == "pending"));
  }
  CHECK(row_of(half, "slow")["status"] == "pending");
  CHECK(fs::exists(place.path("out/s/cells/" + row_of(half, "slow")["cell"].get<std::string>() +
                              "/resume/checkpoint")));
  CHECK(place.mixwell("study s.toml --jobs 2 --only 'none/*'", plugins).code == 0);
}

TEST_CASE("A study that is killed again and again ends with the table of one that never was",
          "[slow]") {
  const char* const wanted = std::getenv("MIXWELL_STUDY_KILLS");
  const int kills = wanted == nullptr ? 4 : std::atoi(wanted);
  const Workplace place;
  const std::string study = small_run + "checkpoint_seconds = 0.02\n" + gaussian + hmc +
                            "[study]\nrepeats = 2\n[study.variant.hmc.axes]\nkernel.k.step_size = "
                            "[0.1, 0.3, 0.5]\nrun.draws = [500, 100000]\n"
                            "[study.variant.nuts]\nkernel.k = { use = \"nuts\" }\n";
  place.write("s.toml", study);
  REQUIRE(place.mixwell("study s.toml --jobs 2 --out whole").code == 0);
  const Json whole = timeless(table(place, "--out whole"));
  std::mt19937 random(20);
  int killed = 0;
  for (int k = 0; k < kills; ++k) {
    const pid_t child = start(place, "study s.toml --jobs 2 --out killed");
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
    ::kill(child, SIGKILL);
    killed += wait_for(child) == -SIGKILL ? 1 : 0;
  }
  CHECK(place.mixwell("study s.toml --jobs 2 --out killed").code == 0);
  CHECK(timeless(table(place, "--out killed")) == whole);
  WARN("killed " << killed << " times of " << kills);
}

TEST_CASE("Files that may not grow fail a study cleanly, and nothing of it is lost") {
  const Workplace place;
  place.write("s.toml", small_run + gaussian + hmc +
                            "[study]\ndisk_wait = 0.5\nrepeats = 2\n[study.axes]\nrun.draws = [10, "
                            "20000]\n");
  REQUIRE(place.mixwell("study s.toml --jobs 1 --out whole").code == 0);
  // 2048 blocks of 512 bytes: room for the database and the small cells, not for the large ones.
  const Outcome full = place.shell("( trap '' XFSZ; ulimit -f 2048; exec \"" +
                                   std::string(MIXWELL_PROGRAM) + "\" study s.toml --jobs 1 )");
  CHECK(full.code == 1);
  contains(full.err, "The disk has been full for");
  const Json waiting = table(place);
  for (const Json& row : waiting["rows"]) CHECK(row["status"] != "failed");
  CHECK(place.mixwell("study s.toml --jobs 1").code == 0);
  CHECK(timeless(table(place)) == timeless(table(place, "--out whole")));
}

TEST_CASE("A disk that is full for a while only makes a study wait", "[slow]") {
  const Workplace place;
  place.write("s.toml", small_run + gaussian + hmc +
                            "[study]\nrepeats = 3\n[study.axes]\nrun.draws = [10, 20000]\n");
  REQUIRE(place.mixwell("study s.toml --jobs 1 --out whole").code == 0);
  // A soft limit of the size of files stands in for the disk's; it is lifted for parent and worker.
  const pid_t study = start_limited(place, "study s.toml --jobs 1", rlim_t{1} << 20);
  const auto says = [&](const char* text) {
    return read(place.path("background.err")).find(text) != std::string::npos;
  };
  for (int k = 0; k < 500 && !says("when the disk has room"); ++k)
    std::this_thread::sleep_for(20ms);
  CHECK(says("when the disk has room"));
  CHECK(::waitpid(study, nullptr, WNOHANG) == 0);
  lift_limit(study);
  CHECK(wait_for(study) == 0);
  CHECK(timeless(table(place)) == timeless(table(place, "--out whole")));
}

namespace {

/// What a query to the study's database answers, as Python prints its rows.
std::string sql(const Workplace& place, const std::string& query) {
  const Outcome outcome = place.shell(
      "python3 -c 'import sqlite3; db = sqlite3.connect(\"out/s/study.sqlite\"); "
      "print(db.execute(\"" +
      query + "\").fetchall())'");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  return outcome.out;
}

const std::string all_cells = "SELECT label, status, min_ess, draws_sha256, run FROM results";

}  // namespace

TEST_CASE("A database that is gone or not whole changes no row, and the end of a study makes it") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  REQUIRE(place.mixwell("study s.toml --jobs 2").code == 0);
  const Json wanted = table(place);
  const std::string rows = sql(place, all_cells);
  const std::string whole = read(place.path("out/s/study.sqlite"));
  CHECK(sql(place, "PRAGMA integrity_check") == "[('ok',)]\n");
  CHECK(sql(place, "PRAGMA user_version") == "[(2,)]\n");
  const auto cut = [&](std::size_t from, const std::string& middle) {
    return whole.substr(0, from) + middle + whole.substr(from + middle.size());
  };
  const std::vector<std::string> damages = {
      "", "a file of somebody else's\n", whole.substr(0, whole.size() / 2),
      cut(0, std::string(200, 'x')), cut(whole.size() / 2, std::string(4096, 'x'))};
  for (std::size_t k = 0; k < damages.size(); ++k) {
    INFO("damage " << k);
    place.write("out/s/study.sqlite", damages[k]);
    const Outcome shown = place.mixwell("study s.toml --table --json");
    CHECK(shown.code == 0);
    CHECK(shown.err.empty());
    CHECK(Json::parse(shown.out) == wanted);
    CHECK(read(place.path("out/s/study.sqlite")) == damages[k]);
    CHECK(ended(place.mixwell("study s.toml --json")) == 0);
    CHECK(sql(place, all_cells) == rows);
    CHECK(table(place) == wanted);
  }
  fs::remove(place.path("out/s/study.sqlite"));
  CHECK(table(place) == wanted);
  CHECK_FALSE(fs::exists(place.path("out/s/study.sqlite")));
  CHECK(ended(place.mixwell("study s.toml --json")) == 0);
  CHECK(sql(place, all_cells) == rows);
  CHECK(table(place) == wanted);
}

TEST_CASE("A study whose database is deleted on the way ends with it, and with the same results") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  REQUIRE(place.mixwell("study s.toml --jobs 2 --out whole").code == 0);
  const Outcome run =
      place.shell(std::string("\"") + MIXWELL_PROGRAM +
                  "\" study s.toml --jobs 1 --quiet & study=$!; for i in $(seq 2000); do "
                  "test -e out/s/study.sqlite && break; sleep 0.005; done; "
                  "rm out/s/study.sqlite; wait $study");
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK(sql(place, "SELECT count(*), sum(length(run) > 0) FROM results") == "[(8, 8)]\n");
  const Json first = table(place);
  CHECK(timeless(first) == timeless(table(place, "--out whole")));
  const std::string why = place.mixwell("study s.toml --why base/walk/1").out;
  const bool has_page = place.mixwell("report out/s").code == 0;
  const std::string page = has_page ? read(place.path("out/s/report.html")) : "";
  fs::remove(place.path("out/s/study.sqlite"));
  CHECK(table(place) == first);
  CHECK(place.mixwell("study s.toml --why base/walk/1").out == why);
  if (!has_page) return;
  REQUIRE(place.mixwell("report out/s").code == 0);
  CHECK(read(place.path("out/s/report.html")) == page);
}

TEST_CASE("Who reads the database of a study has the whole of it while it is replaced") {
  const Workplace place;
  place.write("s.toml", small_run + gaussian + hmc + "[study]\nrepeats = 3\n");
  REQUIRE(place.mixwell("study s.toml --jobs 1").code == 0);
  place.write("s.toml", small_run + gaussian + hmc + "[study]\nrepeats = 6\n");
  place.write(
      "reader.py",
      "import sqlite3, subprocess, sys\n"
      "path = 'out/s/study.sqlite'\n"
      "count = 'SELECT count(*), sum(status = \"done\"), sum(length(run) > 0) FROM results'\n"
      "old = sqlite3.connect(path)\n"
      "cursor = old.execute('SELECT * FROM metrics')\n"
      "cursor.fetchone()\n"
      "study = subprocess.Popen([sys.argv[1], 'study', 's.toml', '--jobs', '1', '--quiet'])\n"
      "seen = set()\n"
      "while study.poll() is None:\n"
      "    new = sqlite3.connect(path)\n"
      "    assert new.execute('PRAGMA integrity_check').fetchone() == ('ok',)\n"
      "    seen.add(new.execute(count).fetchone()[0])\n"
      "    new.close()\n"
      "assert study.returncode == 0\n"
      "assert len(cursor.fetchall()) > 20\n"
      "assert old.execute(count).fetchone() == (3, 3, 3)\n"
      "assert old.execute('PRAGMA integrity_check').fetchone() == ('ok',)\n"
      "assert seen <= {3, 6}, seen\n"
      "assert sqlite3.connect(path).execute(count).fetchone() == (6, 6, 6)\n");
  const Outcome outcome = place.shell(std::string("python3 reader.py \"") + MIXWELL_PROGRAM + "\"");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
}

TEST_CASE("A bit that flips anywhere in a record is found, and shows no other row", "[slow]") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  REQUIRE(place.mixwell("study s.toml --jobs 2").code == 0);
  const Json wanted = table(place)["rows"];
  std::mt19937 random(5);
  for (int k = 0; k < 60; ++k) {
    const std::size_t at = random() % wanted.size();
    const std::string cell = wanted[at]["cell"];
    const std::string file = "out/s/cells/" + cell + "/cell.json";
    const std::string whole = read(place.path(file));
    std::string flipped = whole;
    char& byte = flipped[random() % whole.size()];
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    place.write(file, k % 4 == 0 ? whole.substr(0, random() % whole.size()) : flipped);
    const Outcome shown = place.mixwell("study s.toml --table --json");
    INFO(shown.err);
    REQUIRE(shown.code == 0);
    contains(shown.err, cell + "/cell.json");
    const Json rows = Json::parse(shown.out)["rows"];
    REQUIRE(rows.size() == wanted.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
      CHECK((row == at ? rows[row]["status"] == "pending" : rows[row] == wanted[row]));
    place.write(file, whole);
  }
}

TEST_CASE(
    "A database that somebody changed is put right, and a cell without its record runs again") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  REQUIRE(place.mixwell("study s.toml --jobs 2").code == 0);
  const Json wanted = table(place);
  const std::string rows = sql(place, all_cells);
  REQUIRE(place
              .shell("python3 -c \"import sqlite3; d = sqlite3.connect('out/s/study.sqlite'); "
                     "d.execute('UPDATE cells SET min_ess = 99999'); d.commit()\"")
              .code == 0);
  CHECK(table(place)["rows"] == wanted["rows"]);
  CHECK(ended(place.mixwell("study s.toml --json")) == 0);
  CHECK(sql(place, all_cells) == rows);
  CHECK(table(place) == wanted);
  const std::string cell = wanted["rows"][3]["cell"];
  const std::string record = "out/s/cells/" + cell + "/cell.json";
  std::string text = read(place.path(record));
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  place.write(record, text);
  fs::remove(place.path("out/s/study.sqlite"));
  CHECK(row_of(table(place), "base")["status"] == "done");
  CHECK(table(place)["rows"][3]["status"] == "pending");
  const Outcome again = place.mixwell("study s.toml --json");
  contains(again.err + again.out, "1 record is damaged");
  CHECK(ended(again) == 1);
  CHECK(timeless(table(place)) == timeless(wanted));
  // A whole record of another cell is none of this one.
  const std::string other = wanted["rows"][4]["cell"];
  place.write(record, read(place.path("out/s/cells/" + other + "/cell.json")));
  const Outcome foreign = place.mixwell("study s.toml --table");
  CHECK(foreign.code == 2);
  contains(foreign.err, cell + "/cell.json: this record was not written by Mixwell");
  fs::remove_all(place.path("out/s/cells/" + cell));
  CHECK(ended(place.mixwell("study s.toml --json")) == 1);
}

TEST_CASE("A database that is up to date stays, and is made again when a record has changed") {
  const Workplace place;
  run_compared_with_file(place);
  const auto number = [&] { return place.shell("stat -c %i out/s/study.sqlite").out; };
  std::this_thread::sleep_for(1200ms);  // a change of the same time could follow before that
  REQUIRE(place.mixwell("study s.toml").code == 0);
  std::this_thread::sleep_for(1200ms);
  REQUIRE(place.mixwell("study s.toml").code == 0);
  const std::string before = number();
  const std::string errors = sql(place, "SELECT value FROM metrics ORDER BY name");
  REQUIRE(place.mixwell("study s.toml").code == 0);
  CHECK(number() == before);
  place.write("r.csv", "x[0],x[1],x[2]\n2,4,6\n-2,0,-6\n4,-2,2\n0,2,2.5\n");
  REQUIRE(place.mixwell("study s.toml").code == 0);
  CHECK(number() != before);
  CHECK(sql(place, "SELECT value FROM metrics ORDER BY name") != errors);
}

TEST_CASE("A database beside which there are no records is left as it is") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  place.write("out/s/study.sqlite", "of somebody else");
  const Outcome outcome = place.mixwell("study s.toml");
  CHECK(outcome.code == 2);
  contains(outcome.err,
           "out/s/study.sqlite: this folder has a database, but no records of a study");
  CHECK(read(place.path("out/s/study.sqlite")) == "of somebody else");
}

TEST_CASE(
    "What is known of cells that have not run is kept, and so are the times they were begun") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  REQUIRE(place.mixwell("study s.toml --only '*/walk/*'").code == 0);
  place.write("s.toml",
              std::string(eight_cells).replace(eight_cells.find("steps = 4"), 9, "steps = 5"));
  REQUIRE(place.mixwell("study s.toml --only '*/walk/*'").code == 0);
  fs::remove(place.path("out/s/study.sqlite"));
  const Json half = table(place);
  for (const Json& row : half["rows"]) {
    CHECK(row["class"] == "exact");
    CHECK(row["status"] == (row["variant"] == "walk" ? "done" : "pending"));
  }
  contains(place.mixwell("study s.toml --why base/hmc/kernel.k.step_size=0.1/1").out,
           "manifest: + kernel.k.steps = 5");
}

/// Four candidates in two rungs: six trials.
static std::string tuned(const std::string& gradients) {
  return small_run + gaussian + hmc +
         "[study]\n[study.tune]\ncandidates = 4\nrungs = 2\ngradients = " + gradients +
         "\n[study.tune.keys]\nkernel.k.step_size = { from = 0.1, to = 1.0 }\n";
}

TEST_CASE("A tuning whose trials all fail is told everywhere, and fails under --strict") {
  const Workplace place;
  place.write("s.toml", tuned("100"));
  const Outcome outcome = place.mixwell("study s.toml");
  CHECK(outcome.code == 0);
  const std::string finding = "base/base is not tuned: none of its 6 trials has a score";
  contains(outcome.out, "Warning: " + finding);
  contains(place.mixwell("study s.toml --table").out, "Warning: " + finding);
  const Outcome strict = place.mixwell("study s.toml --strict --json --quiet");
  CHECK(strict.code == 1);
  contains(strict.err, "1 finding, which --strict treats as a failure");
  contains(Json::parse(strict.out)["result"]["findings"][0], finding);
  CHECK(place.mixwell("study s.toml --table --strict").code == 1);
  const Outcome document = place.mixwell("study s.toml --table --json --strict");
  CHECK(document.code == 1);
  contains(Json::parse(document.out)["findings"][0], finding);
  contains(place.mixwell("study s.toml --table --csv").err, finding);
  const Json told = table(place);
  contains(told["findings"][0], finding);
  CHECK(told["rows"][0]["tuned"] == false);
  CHECK(told["tunings"][0]["scored"] == 0);
  const Outcome csv = place.mixwell("study s.toml --table --csv");
  contains(csv.out.substr(0, csv.out.find('\n')), ",tuned,");
  contains(csv.out.substr(csv.out.find('\n')), ",false,");
  CHECK(sql(place, "SELECT tuned FROM results") == "[(0,)]\n");
  CHECK(sql(place, "SELECT trials, scored, tuned FROM tunings") == "[(6, 0, 0)]\n");
  REQUIRE(place.mixwell("report out/s").code == 0);
  contains(read(place.path("out/s/report.html")), finding);

  place.write("s.toml", tuned("20000"));
  const Outcome plain = place.mixwell("study s.toml --strict");
  CHECK(plain.code == 0);
  CHECK(plain.out.find('{') == std::string::npos);  // progress in JSON was not asked for
  CHECK(plain.err.empty());
  CHECK(table(place)["findings"].empty());
  CHECK(table(place)["rows"][0]["tuned"] == true);
  place.write("s.toml", small_run + gaussian + hmc + "[study]\n");
  CHECK(place.mixwell("study s.toml --strict").code == 0);
  CHECK(table(place)["rows"][0]["tuned"].is_null());
  CHECK(table(place)["tunings"].empty());
}

TEST_CASE("A trial in which a parameter never moves has no score") {
  const int replicates = GENERATE(1, 2);  // two chains stand still at different places
  const Workplace place;
  place.write("s.toml", "mixwell = 1\n[run]\nreplicates = " + std::to_string(replicates) +
                            "\nwarmup = 0\ndraws = 100\n" + gaussian +
                            "[kernel.k]\nuse = \"random-walk-metropolis\"\n[study]\n[study.tune]\n"
                            "gradients = 4000\ncandidates = 2\nrungs = 1\n[study.tune.keys]\n"
                            "kernel.k.step_size = [1e9, 1e12]\n");
  REQUIRE(place.mixwell("study s.toml").code == 0);
  const Json rated = table(place);
  for (const Json& trial : rated["tune"]) {
    CHECK(trial["score"].is_null());
    contains(trial["reason"],
             " has no effective sample size, because its draws are constant or not finite");
  }
}

TEST_CASE("Progress of a tuning counts trials") {
  const Workplace place;
  place.write("s.toml", tuned("2000"));
  const Outcome outcome = place.mixwell("study s.toml --json");
  REQUIRE(outcome.code == 0);
  contains(outcome.out, "{\"progress\":{\"stage\":\"tuning\",\"done\":0,\"failed\":0,\"running\":");
  const std::size_t tuning = outcome.out.find("\"stage\":\"tuning\"");
  contains(outcome.out.substr(tuning, outcome.out.find('\n', tuning) - tuning), "\"total\":6,");
}

TEST_CASE("A folder of results is a study to those who only read") {
  const Workplace place;
  place.write("s.toml", eight_cells);
  REQUIRE(place.mixwell("study s.toml --jobs 2").code == 0);
  const std::string wanted = place.mixwell("study s.toml --table").out;
  fs::rename(place.path("out/s"), place.path("share"));
  fs::remove(place.path("s.toml"));
  CHECK(place.mixwell("study share --table").out == wanted);
  CHECK(place.mixwell("study share/ --table").out == wanted);
  contains(place.mixwell("study share --why base/walk/1").out, "base/walk/1");
  const Outcome run = place.mixwell("study share");
  CHECK(run.code == 2);
  contains(run.err, "`share` is a folder, but this command needs the study file.");
  contains(run.err, "`mixwell study share --table`");
  CHECK(place.mixwell("study . --table").code == 2);
}

TEST_CASE("Trajectories of any length leave each tuning its budget") {
  const Workplace place;
  place.write(
      "s.toml",
      "mixwell = 1\n[run]\nreplicates = 8\nwarmup = 50\ndraws = 100\n"
      "[model.g]\nuse = \"gaussian\"\ndimension = 20\ncovariance = \"geometric\"\ncondition = "
      "1e4\n" +
          hmc +
          "[study]\n[study.tune]\ngradients = 60000\ncandidates = 4\nrungs = 2\n"
          "[study.variant.hmc.tune]\nkernel.k.step_size = { from = 0.1, to = 1.0 }\n"
          "[study.variant.nuts]\nkernel.k = { use = \"nuts\" }\n"
          "[study.variant.nuts.tune]\nkernel.k.target_acceptance = { from = 0.8, to = 0.99 }\n");
  REQUIRE(place.mixwell("study s.toml --jobs 2").code == 0);
  constexpr double deepest_sweep = 8 * 1023;  // of all replicates; the pilot alone was ten before
  const Json tuned = table(place);
  for (const Json& tuning : tuned["tunings"])
    CHECK(std::abs(tuning["gradients"].get<double>() - 60000) < deepest_sweep);
}

TEST_CASE("Every variant chooses its own values on the same budget, once") {
  const Workplace place;
  place.write(
      "s.toml",
      small_run + gaussian + hmc +
          "[study]\nrepeats = 2\n[study.tune]\ngradients = 20000\ncandidates = 6\nrungs = "
          "2\n[study.variant.hmc.tune]\nkernel.k.step_size = { from = 0.01, to = 2.0, scale "
          "= \"log\" }\n[study.variant.walk]\nkernel.k = { use = "
          "\"random-walk-metropolis\" }\n[study.variant.walk.tune]\nkernel.k.step_size = "
          "[0.1, 1.0]\n");
  REQUIRE(place.mixwell("study s.toml --jobs 2").code == 0);
  const Json first = table(place);
  std::map<std::string, double> spent;
  std::map<std::string, int> winners;
  for (const Json& trial : first["tune"]) {
    spent[trial["variant"]] += trial["gradients"].get<double>();
    winners[trial["variant"]] += trial["winner"].get<bool>() ? 1 : 0;
  }
  REQUIRE(spent.size() == 2);
  for (const auto& [variant, gradients] : spent) {
    CHECK(gradients == Approx(20000).epsilon(0.05));
    CHECK(winners[variant] == 1);
  }
  CHECK(ended(place.mixwell("study s.toml --json")) == 0);
  CHECK(table(place)["tune"] == first["tune"]);
  fs::remove(place.path("out/s/study.sqlite"));
  CHECK(table(place)["tune"] == first["tune"]);
  CHECK(ended(place.mixwell("study s.toml --json")) == 0);
  CHECK(table(place) == first);
  REQUIRE(place.mixwell("study s.toml --jobs 1 --out other").code == 0);
  CHECK(timeless(table(place, "--out other")) == timeless(first));
}

TEST_CASE("Draws are compared with a reference, at the end and along the way") {
  const Workplace place;
  run_compared_with_file(place);
  const Json row = table(place)["rows"][0];
  const Json& curve = row["curve"];
  REQUIRE(curve.size() > 8);
  CHECK(curve.back()["draws"] == 100);
  CHECK(curve.back()["error_mean"] == row["error_mean"]);
  const std::string folder = "out/s/cells/" + row["cell"].get<std::string>();
  const Json summary =
      Json::parse(place.mixwell("summary " + folder + " --reference r.csv --json").out);
  CHECK(summary["reference"]["rem"].get<double>() ==
        Approx(row["error_mean"].get<double>()).epsilon(1e-9));
  CHECK(summary["reference"]["rec"].get<double>() ==
        Approx(row["error_covariance"].get<double>()).epsilon(1e-9));
}

TEST_CASE("The draws of a variant can be the reference of the others", "[slow]") {
  const Workplace place;
  const std::string study =
      std::string(eight_cells)
          .replace(eight_cells.find(gaussian), gaussian.size(), gaussian + "mean = [3.0]\n") +
      "[study.variant.exact]\nkernel.k = { use = \"nuts\", step_size = 0.5 }\nrun.draws = 400\n";
  const auto with = [&](const std::string& settings) {
    place.write("s.toml",
                std::string(study).replace(study.find("[study]\n"), 8, "[study]\n" + settings));
    return place.mixwell("study s.toml --jobs 2 --json");
  };
  REQUIRE(with("").code == 0);
  const Json without = table(place);
  for (const Json& row : without["rows"]) CHECK_FALSE(row.contains("error_mean"));

  const Outcome compared = with("reference_variant = \"exact\"\n");
  REQUIRE(compared.code == 0);
  CHECK(ended(compared) == 0);
  const Json first = table(place);
  std::vector<std::string> exact;
  for (const Json& row : first["rows"]) {
    CHECK(row["error_mean"].is_null() == (row["variant"] == "exact"));
    CHECK(row["curve"].is_null() == (row["variant"] == "exact"));
    if (row["variant"] == "exact") exact.push_back("out/s/cells/" + row["cell"].get<std::string>());
  }
  REQUIRE(exact.size() == 2);
  const Json& hmc_row = first["rows"][0];
  const auto summary = [&](const std::string& reference) {
    const Outcome outcome =
        place.mixwell("summary out/s/cells/" + hmc_row["cell"].get<std::string>() +
                      " --reference " + reference + " --json");
    return Json::parse(outcome.out)["reference"]["rem"].get<double>();
  };
  const double both = hmc_row["error_mean"].get<double>();
  CHECK(std::abs(both - summary(exact[0])) > 1e-6);  // neither seed alone
  CHECK(std::abs(both - summary(exact[1])) > 1e-6);

  SECTION("those that keep no draws wait for it") {
    place.write("s.toml", std::string(study).replace(
                              study.find("[study]\n"), 8,
                              "[study]\nkeep = \"summary\"\nreference_variant = \"exact\"\n"));
    REQUIRE(place.mixwell("study s.toml --jobs 2 --out other").code == 0);
    CHECK(timeless(table(place, "--out other")) == timeless(first));
    const fs::directory_iterator cells(place.path("other/cells"));
    CHECK(std::count_if(cells, {}, [](const auto& cell) {
            return fs::exists(cell.path() / "draws.nc");
          }) == 2);
  }
  SECTION("draws that were not kept cannot be compared later") {
    place.write("s.toml", std::string(study).replace(study.find("[study]\n"), 8,
                                                     "[study]\nkeep = \"summary\"\n"));
    REQUIRE(place.mixwell("study s.toml --jobs 2 --out other").code == 0);
    const std::string text = "[study]\nkeep = \"summary\"\nreference_variant = \"exact\"\n";
    place.write("s.toml", std::string(study).replace(study.find("[study]\n"), 8, text));
    const Outcome later = place.mixwell("study s.toml --jobs 2 --json --out other");
    CHECK(later.code == 0);
    CHECK(ended(later) == 2);  // the reference, whose draws were not kept either
    contains(later.err, "8 finished cells kept no draws");
    CHECK_FALSE(table(place, "--out other")["rows"][0].contains("error_mean"));
  }
  SECTION("and a reference that is gone leaves no errors behind") {
    CHECK(ended(with("")) == 0);
    CHECK_FALSE(table(place)["rows"][0].contains("error_mean"));
    CHECK(table(place)["rows"][0]["curve"].is_null());
  }
  SECTION("a reference must be a variant, and the only one") {
    contains(with("reference_variant = \"exakt\"\n").err,
             "no variant \"exakt\" (did you mean \"exact\"?)");
    place.write("r.csv", "x[0]\n1\n2\n");
    CHECK(with("reference_variant = \"exact\"\nreference = \"r.csv\"\n").code == 2);
  }
}

TEST_CASE("Errors relative to a mean of 0 are left out, those in standard deviations are not",
          "[slow]") {
  const Workplace place;
  place.write("s.toml", small_run + gaussian + hmc +
                            "[study]\nreference_variant = \"exact\"\n[study.variant.hmc]\n"
                            "[study.variant.exact]\nrun.draws = 2000\n");
  REQUIRE(place.mixwell("study s.toml").code == 0);
  const Json all = table(place);
  CHECK_FALSE(all["rows"][0].contains("error_mean"));
  CHECK(all["rows"][0]["error_covariance"].is_number());
  CHECK(all["rows"][0]["mean_error_sd"].get<double>() < 1.0);
  CHECK(all["rows"][0]["curve"].back()["error_mean"].is_null());
}

TEST_CASE("A cell whose chains stand still has an infinite R-hat, in its record too") {
  const Workplace place;
  place.write("s.toml", small_run + gaussian +
                            "[kernel.k]\nuse = \"random-walk-metropolis\"\n[study]\n"
                            "[study.variant.stuck]\nkernel.k.step_size = 1e-30\n"
                            "[study.variant.slow]\nkernel.k.step_size = 1e-3\n");
  REQUIRE(place.mixwell("study s.toml").code == 0);
  const Json first = table(place);
  CHECK(first["rows"][0]["max_rhat"] == "inf");
  CHECK(first["rows"][0]["not_judged"] == 3.0);  // tails of equal draws
  CHECK(first["rows"][1]["not_judged"] == 0.0);
  CHECK(first["rows"][1]["max_rhat"].get<double>() > 1.05);
  const Outcome csv = place.mixwell("study s.toml --table --csv");
  contains(csv.out, ",inf,");
  fs::remove(place.path("out/s/study.sqlite"));
  CHECK(table(place) == first);
  CHECK(ended(place.mixwell("study s.toml --json")) == 0);
  CHECK(table(place) == first);
}

TEST_CASE("Errors follow a reference that changes, and no cell runs anew") {
  const Workplace place;
  run_compared_with_file(place);
  const Json first = table(place)["rows"][0];
  place.write("r.csv", "x[0],x[1],x[2]\n2,4,6\n-2,0,-6\n4,-2,2\n0,2,2.5\n");
  CHECK(ended(place.mixwell("study s.toml --json")) == 0);
  const Json second = table(place)["rows"][0];
  CHECK(first["cell"] == second["cell"]);
  CHECK(first["error_mean"] != second["error_mean"]);

  place.write("r.csv", "x[0],x[1],x[2]\n1,2,none\n");
  const Outcome bad = place.mixwell("study s.toml");
  CHECK(bad.code == 0);
  contains(bad.err, "Mixwell cannot compare cells with the reference");
  contains(bad.err, "r.csv:2");
  CHECK_FALSE(table(place)["rows"][0].contains("error_mean"));
}

TEST_CASE("An alias is one column for the axes of several variants, and runs nothing anew") {
  const Workplace place;
  const std::string study = eight_cells +
                            "[study.variant.slice]\nkernel.k = { use = \"slice\" }\n"
                            "[study.variant.slice.axes]\nkernel.k.width = [0.7]\n";
  place.write("s.toml", study);
  REQUIRE(place.mixwell("study s.toml --json").code == 0);
  const Json before = table(place);
  CHECK(before["aliases"] == Json::array());
  const std::string axes = "[\"kernel.k.step_size\", \"kernel.k.width\"]\n";
  place.write("s.toml", study + "[study.alias]\nsize = " + axes);
  CHECK(ended(place.mixwell("study s.toml --json")) == 0);
  const Json after = table(place);
  CHECK(after["aliases"] ==
        Json::parse(R"([{"name": "size", "axes": ["kernel.k.step_size", "kernel.k.width"]}])"));
  CHECK(after["axes"] == before["axes"]);
  for (const Json& row : after["rows"]) {
    const char* const own = row["variant"] == "slice" ? "kernel.k.width" : "kernel.k.step_size";
    CHECK(row["size"] == row[own]);
    CHECK(row["size"].is_null() == (row["variant"] == "walk"));
  }
  contains(place.mixwell("study s.toml --table --csv").out,
           ",kernel.k.step_size,kernel.k.width,size,");
  // What the table has a column of is no name.
  for (const Json& column : before["columns"]) {
    place.write("s.toml", study + "[study.alias]\n\"" + column.get<std::string>() + "\" = " + axes);
    INFO(column);
    CHECK(place.mixwell("study s.toml").code == 2);
  }
}

TEST_CASE("What the short form sets is no axis") {
  const Workplace place;
  place.write("s.toml", eight_cells +
                            "[[study.exclude]]\nseed = 2\nvariant = \"walk\"\n[study.quick]\n"
                            "kernel.k.step_size = 0.25\nrun.draws = 50\n"
                            "[study.variant.walk.quick]\nrun.draws = 60\n");
  REQUIRE(place.mixwell("study s.toml --quick").code == 0);
  const Json rows = Json::parse(place.mixwell("study s.toml --quick --table --json").out)["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["kernel.k.step_size"] == 0.25);
  CHECK(rows[0]["draws"] == 50);
  CHECK(rows[1]["draws"] == 60);
}
