// Plugins that end, crash or throw while they are at work: exit code 1, who it was, the checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "background.hpp"

#include <csignal>
#include <vector>

using end_to_end::Background;
using end_to_end::contains;
using end_to_end::draws_hash;
using end_to_end::Outcome;
using end_to_end::read;
using end_to_end::with_plugins;
using end_to_end::Workplace;
namespace fs = std::filesystem;

namespace {

std::string manifest(const std::string& fault, const std::string& more = "") {
  return "mixwell = 1\n[run]\nwarmup = 50\ndraws = 1000\ncheckpoint_seconds = 1e-6\n"
         "[model.g]\nuse = \"faulty\"\nfault = \"" +
         fault + "\"\n" + more +
         "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.5\nsteps = 4\n";
}

std::string plugins(const Workplace& place) {
  return with_plugins(place, {"tests/wrong/faulty_model.so"});
}

const std::string after = "after = 3000\n";

/// Operation, component with its line, and library.
void names_all(const Workplace& place, const std::string& text) {
  contains(text, "the operation `hmc/");
  contains(text, "[kernel.hmc] (use = \"hamiltonian\", m.toml:10:1, ");
  contains(text, "[model.g] (use = \"faulty\", m.toml:6:1, " + place.path("plugins"));
}

}  // namespace

TEST_CASE("A plugin that ends or crashes the process is named and the exit code is 1") {
  const Workplace place;
  for (const char* fault : {"exit", "exit-as-well", "quick-exit", "segfault", "abort", "bus",
                            "divide", "illegal", "overflow"}) {
    INFO(fault);
    place.write("m.toml", manifest(fault, after));
    const Outcome outcome = place.mixwell("run m.toml --force", plugins(place));
    CHECK(outcome.code == 1);
    contains(outcome.err, "mixwell: error: ");
    names_all(place, outcome.err);
    contains(outcome.err, "`mixwell run --resume out/m` continues from the last checkpoint");
    CHECK(fs::exists(place.path("out/m/resume/checkpoint")));
    CHECK_FALSE(fs::exists(place.path("out/m/run.json")));
  }
}

TEST_CASE("A run whose plugin crashes again and again goes on to the draws of one that does not") {
  const Workplace place;
  place.write("whole.toml", manifest("none", after));
  REQUIRE(place.mixwell("run whole.toml", plugins(place)).code == 0);
  for (const char* fault : {"segfault", "exit-as-well"}) {
    place.write("m.toml", manifest(fault, after));
    CHECK(place.mixwell("run m.toml --force --threads 2", plugins(place)).code == 1);
    for (int leg = 0; leg < 20 && !fs::exists(place.path("out/m/run.json")); ++leg)
      place.mixwell("run --resume out/m", plugins(place));
    REQUIRE(fs::exists(place.path("out/m/run.json")));
    CHECK(draws_hash(place, "out/m") == draws_hash(place, "out/whole"));
  }
}

TEST_CASE("A plugin that exits when its model is evaluated by check does not make it succeed") {
  const Workplace place;
  place.write("m.toml", manifest("exit-as-well"));
  const Outcome outcome = place.mixwell("check m.toml --gradient", plugins(place));
  CHECK(outcome.code == 1);
  contains(outcome.err, "a plugin ended the process");
  contains(outcome.err, "[model.g] (use = \"faulty\", m.toml:6:1, ");
}

TEST_CASE("A plugin that crashes when it is made is named") {
  const Workplace place;
  place.write("m.toml", manifest("segfault-when-made"));
  const Outcome outcome = place.mixwell("run m.toml", plugins(place));
  CHECK(outcome.code == 1);
  contains(outcome.err, "segmentation fault (SIGSEGV) in the constructor of [model.g] (use = ");
}

TEST_CASE("Whatever a plugin throws is told with plugin and component and operation and line") {
  const Workplace place;
  place.write("m.toml", manifest("throw", after));
  Outcome outcome = place.mixwell("run m.toml", plugins(place));
  CHECK(outcome.code == 1);
  contains(outcome.err, "the model gives up");
  contains(outcome.err, "thrown as std::runtime_error by [model.g]");
  names_all(place, outcome.err);

  place.write("m.toml", manifest("throw-number", after));
  outcome = place.mixwell("run m.toml --force", plugins(place));
  CHECK(outcome.code == 1);
  contains(outcome.err, "an exception of type int");
  names_all(place, outcome.err);
  contains(outcome.err, " draws before this error are in out/m");

  place.write("m.toml", manifest("throw-number"));
  outcome = place.mixwell("check m.toml --gradient", plugins(place));
  CHECK(outcome.code == 1);
  contains(outcome.err, "[model.g] (use = \"faulty\", m.toml:6:1, ");

  place.write("m.toml", manifest("throw-number-when-made"));
  outcome = place.mixwell("check m.toml", plugins(place));
  CHECK(outcome.code == 1);
  contains(outcome.err, "the constructor of [model.g] (use = \"faulty\", m.toml:6:1, ");
}

TEST_CASE("A run that waits for a call says for which and a second signal of any kind ends it") {
  const Workplace place;
  place.write("whole.toml", manifest("none", after));
  REQUIRE(place.mixwell("run whole.toml", plugins(place)).code == 0);
  place.write("m.toml", manifest("sleep", after));
  Background run(place, "run m.toml", plugins(place));
  REQUIRE(run.says("asleep"));
  run.send(SIGINT);
  CHECK(run.says("A second signal ends the program immediately"));
  names_all(place, read(place.path("background.err")));
  run.send(SIGTERM);
  const int status = run.status();
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
  REQUIRE(place.mixwell("run --resume out/m", plugins(place)).code == 0);
  CHECK(draws_hash(place, "out/m") == draws_hash(place, "out/whole"));
}

TEST_CASE("Whatever takes long before the first draw is named, and a second signal ends it") {
  const Workplace place;
  place.write("m.toml", manifest("sleep", "after = 0\n"));
  Background run(place, "run m.toml", plugins(place));
  REQUIRE(run.says("asleep"));
  run.send(SIGINT);
  CHECK(run.says(
      "still in the search for starting points, in [model.g] (use = \"faulty\", m.toml:6"));
  contains(read(place.path("background.err")), "A second signal ends the program immediately");
  run.send(SIGINT);
  const int status = run.status();
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGINT);
}

TEST_CASE("A study that waits for its cells or trials says so, and a second signal ends it") {
  const Workplace place;
  const auto study = [&](const std::string& more) {
    place.write("s.toml", manifest("sleep", "after = 0\n") + "[study]\nseeds = [1]\n" + more);
    Background run(place, "study s.toml --jobs 1", plugins(place));
    REQUIRE(run.has_a_child_asleep());
    run.send(SIGINT);
    CHECK(
        run.says(more.empty() ? "still in the running cells" : "still in the trials of a tuning"));
    run.send(SIGINT);
    CHECK(WIFSIGNALED(run.status()));
    fs::remove_all(place.path("out"));
  };
  study("");
  study("[study.tune]\ngradients = 1e6\n[study.tune.keys]\nkernel.hmc.step_size = [0.1, 0.2]\n");
}

TEST_CASE("Parameters that nothing can be made of are refused by name when the model is made") {
  const Workplace place;
  const std::string before =
      with_plugins(place, {"tests/wrong/misdeclared_model.so"}) + " timeout 60 env";
  const auto outcome_of = [&](const std::string& how, const std::string& command) {
    place.write("m.toml",
                "mixwell = 1\n[run]\nwarmup = 5\ndraws = 10\n[model.g]\nuse = \"misdeclared\"\n"
                "how = \"" +
                    how + "\"\n[kernel.k]\nuse = \"hamiltonian\"\n");
    return place.mixwell(command + " m.toml", before);
  };
  const std::vector<std::pair<const char*, const char*>> rules = {
      {"empty", "the model has no parameters"},
      {"negative", "the parameter `x` of shape {-1}: every length of a shape must be at least 1"},
      {"zero", "the parameter `y` of shape {2, 0}: every length of a shape must be at least 1"},
      {"huge", "the parameter `x` of shape {1099511627776}: it has more than 2^32"},
      {"overflow",
       "the parameter `x` of shape {1099511627776, 1099511627776}: it has more than 2^32"},
      {"many",
       "the parameter `y` of shape {3221225472}: with this parameter, the model has more than "
       "2^32"},
      {"no-name", "the parameter `` of shape {}: its name is empty"},
      {"slash", "the parameter `a/b` of shape {}: its name contains a slash"}};
  for (const auto& [how, rule] : rules) {
    for (const char* command : {"run", "check", "check --gradient"}) {
      INFO(command);
      const Outcome outcome = outcome_of(how, command);
      CHECK(outcome.code == 2);
      contains(outcome.err, "m.toml:5:1: [model.g]: " + std::string(rule));
      contains(outcome.err, place.path("plugins/misdeclared_model.so"));
    }
  }
  CHECK(outcome_of("none", "run").code == 0);
}

TEST_CASE("A slot that is not the whole vector is refused by name wherever positions are used") {
  const Workplace place;
  const std::string environment = with_plugins(place, {"tests/wrong/part_slots.so"});
  const auto refused = [&](const std::string& compositor, const std::string& start,
                           const std::string& words) {
    place.write("m.toml", "mixwell = 1\n[run]\nwarmup = 5\ndraws = 10\n" + start +
                              "[model.g]\nuse = \"gaussian\"\ndimension = 2\nmean = [1, 2]\n"
                              "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.5\nsteps = 3\n"
                              "[compositor.c]\nuse = \"" +
                              compositor + "\"\nkernel = \"hmc\"\n");
    for (const char* const command : {"check m.toml", "verify m.toml", "run m.toml"}) {
      INFO(command << " with " << compositor);
      const Outcome outcome = place.mixwell(command, environment);
      CHECK(outcome.code == 2);
      contains(outcome.err, words);
      CHECK_FALSE(fs::exists(place.path("out/m/run.json")));
    }
  };
  for (const char* const start : {"", "init = \"exact\"\n"}) {
    refused("halves", start, "slot `first` has 1 rows, but the model has 2 coordinates");
    refused("one-more", start, "slot `theta` has 3 rows, but the model has 2 coordinates");
  }
}
