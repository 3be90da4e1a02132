// Interrupted runs that go on: with the draws of a run without interruption, whatever interrupted
// them and whenever.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "files/sha256.hpp"
#include "interrupting.hpp"

#include <mixwell/contracts/sampler.hpp>
#include <mixwell/lab/cmdstan_csv.hpp>

#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <regex>

using namespace end_to_end;
using mixwell::Composition;
using mixwell::Override;
using mixwell::RunOptions;
using mixwell::RunResult;

namespace {

/// 0 = never; else the process is killed before that many-th call from now on of what puts files on
/// disk, names and removes them.
std::atomic<int> calls_to_live{0};

/// 0 = never; else that many-th rename from now on fails, once.
std::atomic<int> renames_to_failure{0};

void count_down() {
  if (calls_to_live.load() > 0 && calls_to_live.fetch_sub(1) == 1) raise(SIGKILL);
}

}  // namespace

extern "C" {
MIXWELL_EXPORT int fsync(int file) {
  count_down();
  return static_cast<int>(syscall(SYS_fsync, file));
}
MIXWELL_EXPORT int rename(const char* from, const char* to) noexcept {
  count_down();
  if (renames_to_failure.load() > 0 && renames_to_failure.fetch_sub(1) == 1) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_rename, from, to));
}
MIXWELL_EXPORT int unlink(const char* name) noexcept {
  count_down();
  return static_cast<int>(syscall(SYS_unlink, name));
}
}

namespace {

const std::string brief = "warmup = 40\ndraws = 60\n";

/// Those of studies are no runs, those of Stan need an engine that may be missing, that of a
/// callback a library.
std::vector<std::string> examples() {
  std::vector<std::string> all;
  for (const char* place : {"/examples", "/papers/hamcmc/examples", "/papers/hmc-bfgs/examples"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(MIXWELL_SOURCE_DIR) + place)) {
      const std::string folder = entry.path().parent_path().filename();
      const bool stands_alone = folder != "studies" && folder != "stan" && folder != "callback";
      if (entry.path().extension() == ".toml" && stands_alone) all.push_back(entry.path());
    }
  std::sort(all.begin(), all.end());
  return all;
}

Composition load(const std::string& manifest, const std::vector<Override>& more = {}) {
  std::vector<Override> overrides = {{"run.warmup", "40"},
                                     {"run.draws", "60"},
                                     {"run.thin", "1"},
                                     {"run.allow", "[\"biased\", \"none\"]"}};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return mixwell::load_manifest(manifest, composing::registry(), overrides);
}

void check_interruptions(const Composition& composition, const std::string& folder) {
  mixwell::run(composition, options_in(folder + "/whole"));
  const Json whole = lasting(folder + "/whole");
  CHECK(is_tidy(folder + "/whole"));
  CHECK(with_interruptions(composition, folder + "/broken").record.outcome ==
        mixwell::Outcome::complete);
  CHECK(lasting(folder + "/broken") == whole);
  CHECK(is_tidy(folder + "/broken"));
}

/// Whether a child process that does this ended well.
bool succeeds(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      action();
      _exit(0);
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
    }
    _exit(1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  CHECK((killed || ended));
  return ended;
}

std::string hash_in(const std::string& folder) {
  return Json::parse(read(folder + "/run.json")).at("draws_sha256");
}

/// A run of learners and several replicates.
Composition rich(double checkpoint_seconds) {
  return composing::compose(
      "[run]\n" + brief + "record_warmup = false\nreplicates = 3\ncheckpoint_seconds = " +
      Json(checkpoint_seconds).dump() +
      "\n[model.g]\nuse = \"gaussian\"\ndimension = 2\n"
      "[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = \"hamiltonian\"\nsteps = 3\n"
      "target_acceptance = 0.8\n");
}

/// All numbers that were recorded, warm-up and statistics among them.
std::string csv_rows(const std::string& folder) {
  mixwell::export_cmdstan_csv(folder, {.digits = 17});
  std::string rows;
  for (const char* name : {"/draws_1.csv", "/draws_2.csv", "/draws_3.csv"})
    rows += std::regex_replace(read(folder + name), std::regex("#[^\n]*\n"), "");
  return rows;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const mixwell::Error& error) {
    return error.what();
  }
  return "accepted";
}

/// A checkpoint that was changed by somebody who knows its format.
std::string sealed_anew(const std::string& text) {
  const std::size_t hash = text.find('\n') + 1;
  const std::size_t sealed = text.find('\n', hash) + 1;
  return text.substr(0, hash) + mixwell::sha256(text.substr(sealed)) + "\n" + text.substr(sealed);
}

/// A run that was interrupted soon after that sweep.
void interrupt(const Composition& composition, const std::string& folder, std::int64_t after) {
  mixwell::StopRequest stop;
  RunOptions options = options_in(folder);
  options.stop = &stop;
  options.progress = [&](const mixwell::Progress& p) {
    if (p.done > after) stop.make();
  };
  REQUIRE(mixwell::run(composition, options).resumable);
}

RunOptions resumed(const std::string& folder) {
  RunOptions options = options_in(folder);
  options.resume = true;
  return options;
}

}  // namespace

TEST_CASE("Every example goes on after any interruption as if there had been none", "[slow]") {
  for (const std::string& manifest : examples()) {
    const Workplace place;
    INFO(manifest);
    if (manifest.find("curvature-file/use") != std::string::npos) continue;  // below
    check_interruptions(load(manifest), place.path("out"));
  }
}

TEST_CASE("A run that reads what another one learnt goes on after interruptions") {
  const Workplace place;
  const std::string examples = MIXWELL_SOURCE_DIR "/examples/curvature-file/";
  mixwell::run(load(examples + "learn.toml"), options_in(place.path("learnt")));
  const std::string learnt = "\"" + place.path("learnt/draws.nc") + "\"";
  std::string text = read(examples + "use.toml");
  text = std::regex_replace(text, std::regex("file = \"[^\"]*\""), "file = " + learnt);
  text = std::regex_replace(text, std::regex("\"\\.\\./challenger"),
                            "\"" MIXWELL_SOURCE_DIR "/examples/challenger");
  place.write("use.toml", text);
  check_interruptions(load(place.path("use.toml")), place.path("out"));
}

TEST_CASE("Thinning and recorded warm-up survive interruptions") {
  const Workplace place;
  const Composition composition = composing::compose(
      "[run]\nwarmup = 41\ndraws = 30\nthin = 3\nrecord_warmup = true\n"
      "[model.g]\nuse = \"gaussian\"\ndimension = 2\n[estimator.identity]\nuse = "
      "\"identity\"\n[kernel.hmc]\nuse = \"hamiltonian\"\n"
      "step_size = 0.5\nsteps = 3\n");
  check_interruptions(composition, place.path("out"));
  CHECK(csv_rows(place.path("out/whole")) == csv_rows(place.path("out/broken")));
}

TEST_CASE("An interrupted run is exported as far as it went") {
  const Workplace place;
  mixwell::run(rich(60), options_in(place.path("whole")));
  interrupt(rich(60), place.path("cut"), 60);
  for (const char* const run : {"whole", "cut"}) mixwell::export_cmdstan_csv(place.path(run));
  const auto rows = [&](const std::string& run) {
    return std::regex_replace(read(place.path(run + "/draws_2.csv")), std::regex("#[^\n]*\n"), "");
  };
  CHECK(rows("cut").size() < rows("whole").size());
  CHECK(rows("whole").starts_with(rows("cut")));
}

TEST_CASE("A run killed at any moment leaves nothing that looks finished, and goes on",
          "[nightly]") {
  const Workplace place;
  const std::string whole = place.path("whole");
  REQUIRE(succeeds([&] { mixwell::run(rich(60), options_in(whole)); }));
  const Json wanted = lasting(whole).at("run");
  bool ended = false;
  int kills = 0;
  for (; !ended && kills < 2000; ++kills) {
    const std::string folder = place.path(std::to_string(kills));
    ended = succeeds([&] {
      calls_to_live = kills + 1;
      mixwell::run(rich(1e-9), options_in(folder));
    });
    INFO("killed before call " << kills + 1);
    if (std::filesystem::exists(folder + "/run.json"))
      CHECK(hash_in(folder) == wanted["draws_sha256"].get<std::string>());
    if (ended) break;
    REQUIRE(succeeds([&] { mixwell::run(rich(1e-9), resumed(folder)); }));
    CHECK(lasting(folder).at("run") == wanted);
    CHECK(csv_rows(folder) == csv_rows(whole));
    CHECK(is_tidy(folder));
    std::filesystem::remove_all(folder);
  }
  CHECK(ended);
  CHECK(kills > 20);
}

TEST_CASE("A run that replaces another, killed at any moment, leaves no mixture of the two",
          "[slow]") {
  const Workplace place;
  const std::string whole = place.path("whole");
  REQUIRE(succeeds([&] { mixwell::run(rich(60), options_in(whole)); }));
  const Composition other = composing::compose(
      "[run]\nwarmup = 3\ndraws = 5\nseed = 8\n[model.g]\nuse = \"gaussian\"\n"
      "dimension = 2\n[estimator.identity]\nuse = \"identity\"\n[kernel.hmc]\nuse = "
      "\"hamiltonian\"\nstep_size = 0.5\nsteps = 3\n");
  REQUIRE(succeeds([&] { mixwell::run(other, options_in(place.path("other"))); }));
  const std::string folder = place.path("both");
  bool ended = false;
  for (int kills = 0; !ended && kills < 2000; ++kills) {
    std::filesystem::remove_all(folder);
    std::filesystem::copy(place.path("other"), folder);
    RunOptions options = options_in(folder);
    options.force = true;
    ended = succeeds([&] {
      calls_to_live = kills + 1;
      mixwell::run(rich(60), options);
    });
    INFO("killed before call " << kills + 1);
    if (std::filesystem::exists(folder + "/run.json"))
      CHECK(hash_in(folder) == mixwell::DrawsFile(folder).sha256());
    REQUIRE(succeeds([&] { mixwell::run(rich(60), options); }));
    CHECK(hash_in(folder) == hash_in(whole));
  }
  CHECK(ended);
}

TEST_CASE("The program goes on after SIGKILL, Ctrl-C and SIGTERM as often as they come", "[slow]") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest("replicates = 2\ncheckpoint_seconds = 0.05\n"));
  const std::string draws = " --set run.draws=150000";
  REQUIRE(place.mixwell("run m.toml --quiet --out whole" + draws).code == 0);
  const auto cut = [&](const std::string& arguments, const std::string& signal, double seconds) {
    return place.mixwell(arguments + " & pid=$!; sleep " + std::to_string(seconds) + "; kill -" +
                         signal + " $pid 2>/dev/null; wait $pid");
  };
  cut("run m.toml --quiet --out cut" + draws, "KILL", 0.4);
  const std::vector<std::string> signals = {"KILL", "INT", "KILL", "TERM"};
  int kills = 0;
  Outcome last;
  for (; kills < 40; ++kills) {
    if (!std::filesystem::exists(place.path("cut/resume/checkpoint"))) break;
    last = cut("run --quiet --threads " + std::to_string(1 + kills % 2) + " --resume cut",
               signals[std::size_t(kills) % 4], 0.25 + 0.05 * double(kills));
  }
  INFO(last.err);
  if (!std::filesystem::exists(place.path("cut/run.json")))  // killed before its first checkpoint
    REQUIRE(place.mixwell("run m.toml --quiet --force --out cut" + draws).code == 0);
  CHECK(hash_in(place.path("cut")) == hash_in(place.path("whole")));
  // One that is killed when its results are whole has left what the next run there takes away.
  constexpr int killed = 128 + SIGKILL;
  if (last.code == killed)
    REQUIRE(place.mixwell("run m.toml --quiet --force --out cut" + draws).code == 0);
  CHECK(is_tidy(place.path("cut")));
}

TEST_CASE("After Ctrl-C results stand beside the checkpoint, and the program says how to go on",
          "[slow]") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const std::string slow = " --set run.draws=50000 --set kernel.hmc.steps=2000";
  const Outcome stopped = place.mixwell(
      "run m.toml --quiet --out cut" + slow +
      " & pid=$!; "
      "for i in $(seq 300); do ls cut/resume 2>/dev/null | grep -q draws && break; sleep 0.1; "
      "done; sleep 0.1; kill -INT $pid; wait $pid");
  CHECK(stopped.code == 1);
  contains(stopped.err, "`mixwell run --resume cut` continues the run");
  const Json run = Json::parse(read(place.path("cut/run.json")));
  CHECK(run["ended_by"] == "interrupt");
  CHECK(mixwell::DrawsFile(place.path("cut")).sha256() == run["draws_sha256"].get<std::string>());
  const Outcome again = place.mixwell("run m.toml --quiet --out cut");
  CHECK(again.code == 2);
  contains(again.err, "`mixwell run --resume cut`");
  REQUIRE(place.mixwell("run --quiet --resume cut").code == 0);
  REQUIRE(place.mixwell("run m.toml --quiet --out whole" + slow).code == 0);
  CHECK(hash_in(place.path("cut")) == hash_in(place.path("whole")));
  const Outcome ended = place.mixwell("run --resume cut");
  CHECK(ended.code == 2);
  contains(ended.err, "The run in this folder is complete");
}

TEST_CASE("Without a checkpoint --resume tells the cure") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome killed = place.mixwell(
      "run m.toml --quiet --out cut --set run.draws=100000 --set run.thin=1000 & pid=$!; "
      "for i in $(seq 300); do ls cut/resume 2>/dev/null | grep -q draws && break; sleep 0.1; "
      "done; kill -KILL $pid; wait $pid");
  CHECK_FALSE(std::filesystem::exists(place.path("cut/run.json")));
  const Outcome outcome = place.mixwell("run --resume cut");
  CHECK(outcome.code == 2);
  contains(outcome.err, "cut/resume/checkpoint: there is no checkpoint.");
  contains(outcome.err, "--force");
  CHECK(place.mixwell("run m.toml --quiet --out cut").code == 2);
  CHECK(place.mixwell("run m.toml --quiet --out cut --force").code == 0);
  CHECK(is_tidy(place.path("cut")));
  const Outcome nowhere = place.mixwell("run --resume nowhere");
  CHECK(nowhere.code == 2);
  contains(nowhere.err, "nowhere");
  CHECK(place.mixwell("run").code == 2);
  CHECK(place.mixwell("run m.toml --resume cut").code == 2);
  CHECK(place.mixwell("run --resume cut --set run.seed=3").code == 2);
}

TEST_CASE("checkpoint_seconds = 0 writes none, not at Ctrl-C either") {
  const Workplace place;
  mixwell::StopRequest stop;
  stop.make();
  RunOptions options = options_in(place.path("out"));
  options.stop = &stop;
  const RunResult result = mixwell::run(rich(0), options);
  CHECK(result.record.outcome == mixwell::Outcome::interrupted);
  CHECK_FALSE(result.resumable);
  CHECK(is_tidy(place.path("out")));
}

TEST_CASE("A run does not go on with another manifest, plugin or data, and says which") {
  const Workplace place;
  place.write("data.csv", "x,y\n0.1,0\n0.4,1\n-0.3,0\n0.9,1\n");
  const auto compose = [&](const std::string& steps) {
    place.write("m.toml", "mixwell = 1\n[run]\n" + brief +
                              "[model.credit]\nuse = \"logistic-regression\"\ndata = \"data.csv\"\n"
                              "response = \"y\"\n[estimator.identity]\nuse = "
                              "\"identity\"\n[kernel.hmc]\nuse = \"hamiltonian\"\n"
                              "step_size = 0.1\nsteps = " +
                              steps + "\n");
    return mixwell::load_manifest(place.path("m.toml"), composing::registry());
  };
  const std::string folder = place.path("out");
  const std::string checkpoint = folder + "/resume/checkpoint";
  interrupt(compose("3"), folder, 5);
  const auto refusal = [&](const Composition& composition) {
    return message_of([&] { mixwell::run(composition, resumed(folder)); });
  };
  contains(refusal(compose("4")), "[kernel.hmc]");
  contains(refusal(compose("4")), "`steps = 4");
  contains(refusal(compose("4")), "instead of `steps = 3");
  const std::string saved = read(checkpoint);
  const auto change = [&](const std::string& from, const std::string& to) {
    std::string text = saved;
    text.replace(text.find(from), from.size(), to);
    place.write("out/resume/checkpoint", sealed_anew(text));
    return refusal(compose("3"));
  };
  const std::string library = "libmixwell";
  const std::size_t hash = saved.find("the plugin library ");
  const std::string entry = saved.substr(hash, saved.find(']', hash) - hash);
  contains(change(entry, entry.substr(0, entry.size() - 2) + "x\""), "the plugin library ");
  contains(change("\"name\":\"m\"", "\"name\":\"n\""), "instead of `n`");
  contains(change("\"version\":\"", "\"version\":\"9"), "instead of 9");
  contains(change("mixwell checkpoint 2", "mixwell checkpoint 7"),
           "damaged or incomplete, or an earlier version of Mixwell wrote it");
  place.write("out/resume/checkpoint", saved);
  place.write("data.csv", "x,y\n0.1,0\n0.4,1\n-0.3,0\n0.8,1\n");
  contains(refusal(compose("3")), "the data file " + place.path("data.csv"));
  place.write("data.csv", "x,y\n0.1,0\n0.4,1\n-0.3,0\n0.9,1\n");
  CHECK(mixwell::run(compose("3"), resumed(folder)).record.outcome == mixwell::Outcome::complete);
}

TEST_CASE("A project that was moved goes on with its data, and with no others") {
  const Workplace place;
  const std::string data = "x,y\n0.1,0\n0.4,1\n-0.3,0\n0.9,1\n";
  const auto manifest_in = [&](const std::string& project) {
    place.write(project + "/data/d.csv", data);
    place.write(project + "/m.toml",
                "mixwell = 1\n[run]\n" + brief +
                    "[model.credit]\nuse = \"logistic-regression\"\ndata = \"data/d.csv\"\n"
                    "response = \"y\"\n[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.1\n"
                    "steps = 3\n");
    return mixwell::load_manifest(place.path(project + "/m.toml"), composing::registry());
  };
  mixwell::run(manifest_in("other"), options_in(place.path("whole")));
  interrupt(manifest_in("before"), place.path("before/out/m"), 5);
  std::filesystem::rename(place.path("before"), place.path("after"));
  const std::string folder = place.path("after/out/m");
  const auto go_on = [&] {
    return mixwell::run(mixwell::load_interrupted(folder, composing::registry()), resumed(folder));
  };
  place.write("after/data/d.csv", data + "0.8,1\n");
  contains(message_of(go_on), "the run needs the data file " + place.path("before/data/d.csv"));
  contains(message_of(go_on),
           "no file with the same contents at " + place.path("after/data/d.csv"));
  contains(message_of(go_on), "to MIXWELL_DATA");
  place.write("elsewhere/d.csv", data);
  ::setenv("MIXWELL_DATA", place.path("elsewhere").c_str(), 1);
  std::filesystem::copy(place.path("after"), place.path("copy"),
                        std::filesystem::copy_options::recursive);
  CHECK(go_on().record.outcome == mixwell::Outcome::complete);
  ::unsetenv("MIXWELL_DATA");
  CHECK(hash_in(folder) == hash_in(place.path("whole")));
  std::filesystem::rename(place.path("copy"), place.path("again"));
  place.write("again/data/d.csv", data);
  const std::string moved = place.path("again/out/m");
  const Composition composition = mixwell::load_interrupted(moved, composing::registry());
  contains(composition.effective_manifest, place.path("again/data/d.csv"));
  CHECK(mixwell::run(composition, resumed(moved)).record.outcome == mixwell::Outcome::complete);
  CHECK(hash_in(moved) == hash_in(place.path("whole")));
}

TEST_CASE("A checkpoint of which any byte has changed is refused") {
  const Workplace place;
  const std::string folder = place.path("out");
  interrupt(rich(60), folder, 60);
  const std::string saved = read(folder + "/resume/checkpoint");
  const auto refusal = [&](const std::string& text) {
    place.write("out/resume/checkpoint", text);
    return message_of([&] { mixwell::run(rich(60), resumed(folder)); });
  };
  for (std::size_t k = 0; k < 40; ++k) {
    std::string text = saved;
    char& byte = text[k * (saved.size() - 1) / 39];
    byte = static_cast<char>(byte ^ 1);
    contains(refusal(text),
             folder + "/resume/checkpoint: this checkpoint is damaged or incomplete");
  }
  std::string other_seed = saved;
  other_seed[saved.find("seed = ") + 7] = '8';
  contains(refusal(other_seed), "damaged or incomplete, or an earlier version of Mixwell wrote it");
  contains(refusal(saved.substr(0, saved.size() - 1)),
           "damaged or incomplete, or an earlier version of Mixwell wrote it");
  contains(refusal(saved + "x"),
           "damaged or incomplete, or an earlier version of Mixwell wrote it");
  contains(refusal(""), "damaged or incomplete, or an earlier version of Mixwell wrote it");
  place.write("out/resume/checkpoint", saved);
  CHECK(mixwell::run(rich(60), resumed(folder)).record.outcome == mixwell::Outcome::complete);
}

TEST_CASE("Recorded draws of which any byte has changed are refused by name, and are left alone") {
  const Workplace place;
  const std::string whole = place.path("whole");
  mixwell::run(rich(60), options_in(whole));
  const std::string folder = place.path("out");
  interrupt(rich(1e-9), folder, 45);
  const auto refusal = [&] {
    return message_of([&] { mixwell::run(rich(1e-9), resumed(folder)); });
  };
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/resume")) {
    const std::string name = entry.path().filename();
    if (name == "checkpoint") continue;
    ++files;
    const std::string saved = read(entry.path());
    for (std::size_t k = 0; k < 8; ++k) {
      std::string text = saved;
      char& byte = text[k * (saved.size() - 1) / 7];
      byte = static_cast<char>(byte ^ 16);
      place.write("out/resume/" + name, text);
      contains(refusal(), folder + "/resume/" + name + ": this file is damaged");
      CHECK(read(entry.path()) == text);
    }
    place.write("out/resume/" + name, saved.substr(0, saved.size() / 2));
    contains(refusal(), folder + "/resume/" + name + ": this file had ");
    std::filesystem::rename(entry.path(), folder + "/away");
    contains(refusal(), folder + "/resume/" + name + ": this file is missing");
    place.write("out/resume/" + name, saved);
  }
  CHECK(files > 1);  // parts of draws.nc
  CHECK(mixwell::run(rich(1e-9), resumed(folder)).record.outcome == mixwell::Outcome::complete);
  CHECK(lasting(folder).at("run") == lasting(whole).at("run"));
  CHECK(csv_rows(folder) == csv_rows(whole));
}

TEST_CASE("After a full disk the run goes on from its last checkpoint", "[slow]") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest("checkpoint_seconds = 0.01\n"));
  // A limit of 16384 blocks of 512 bytes on the size of a file stands in for the disk's.
  const Outcome full =
      place.shell("( trap '' XFSZ; ulimit -f 16384; exec \"" + std::string(MIXWELL_PROGRAM) +
                  "\" run m.toml --quiet --set run.draws=100000 )");
  CHECK(full.code == 1);
  contains(full.err, "File too large");
  contains(full.err, "`mixwell run --resume out/m` continues from the last checkpoint");
  CHECK_FALSE(std::filesystem::exists(place.path("out/m/run.json")));
  REQUIRE(place.mixwell("run --quiet --resume out/m").code == 0);
  REQUIRE(place.mixwell("run m.toml --quiet --out whole --set run.draws=100000").code == 0);
  CHECK(hash_in(place.path("out/m")) == hash_in(place.path("whole")));
  CHECK(is_tidy(place.path("out/m")));
}

TEST_CASE("A rename that fails costs at most the draws since the last checkpoint, as is said",
          "[slow]") {
  const Workplace place;
  const std::string whole = place.path("whole");
  mixwell::run(rich(60), options_in(whole));
  const Json wanted = lasting(whole).at("run");
  int failures = 0;
  for (;; ++failures) {
    const std::string folder = place.path(std::to_string(failures));
    renames_to_failure = failures + 1;
    const std::string said = message_of([&] { mixwell::run(rich(1e-9), options_in(folder)); });
    if (renames_to_failure.exchange(0) > 0) break;
    INFO("rename " << failures + 1 << ": " << said);
    contains(said, "Input/output error");
    CHECK_FALSE(std::filesystem::exists(folder + "/run.json"));
    CHECK((said.find("continues from the last checkpoint") != std::string::npos) ==
          std::filesystem::exists(folder + "/resume/checkpoint"));
    mixwell::run(rich(1e-9), resumed(folder));
    CHECK(lasting(folder).at("run") == wanted);
    CHECK(csv_rows(folder) == csv_rows(whole));
    std::filesystem::remove_all(folder);
  }
  CHECK(failures > 5);
}

TEST_CASE("A rename that fails leaves an earlier run in the folder whole, or no finished run") {
  const Workplace place;
  const std::string folder = place.path("out");
  RunOptions options = options_in(folder);
  mixwell::run(rich(60), options);
  options.force = true;
  for (int k = 1;; ++k) {
    renames_to_failure = k;
    const std::string said = message_of([&] { mixwell::run(rich(60), options); });
    if (renames_to_failure.exchange(0) > 0) break;
    INFO("rename " << k << ": " << said);
    if (std::filesystem::exists(folder + "/run.json"))
      CHECK(hash_in(folder) == mixwell::DrawsFile(folder).sha256());
    mixwell::run(rich(60), options);
  }
}

TEST_CASE("A run whose folder is removed says that nothing is left, and promises nothing") {
  const Workplace place;
  const std::string folder = place.path("out");
  RunOptions options = options_in(folder);
  options.progress = [&](const mixwell::Progress& p) {
    if (p.done > 60) std::filesystem::remove_all(folder);
  };
  const std::string said = message_of([&] { mixwell::run(rich(1e-9), options); });
  contains(said, "No such file or directory");
  contains(said, "The folder " + folder + " no longer exists");
  CHECK(said.find("continues from") == std::string::npos);
}

TEST_CASE("A kernel that hides state from checkpoints is caught") {
  const Workplace place;
  const auto compose = [] {
    return composing::compose(
        "[run]\nwarmup = 20\ndraws = 60\nreplicates = 1\n[model.g]\nuse = \"gaussian\"\n"
        "dimension = 2\n[kernel.k]\nuse = \"wrong-state\"\n");
  };
  mixwell::run(compose(), options_in(place.path("whole")));
  interrupt(compose(), place.path("cut"), 20);
  mixwell::run(compose(), resumed(place.path("cut")));
  CHECK(hash_in(place.path("cut")) != hash_in(place.path("whole")));
  const auto findings = mixwell::contracts::check_sampler(compose());
  const bool caught = std::any_of(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.clause.rfind("restore", 0) == 0 && !finding.holds;
  });
  CHECK(caught);
}
