// Whose a results folder is: what a run takes for its own, and that no two work in one.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <signal.h>

#include <chrono>
#include <thread>

using namespace end_to_end;

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A manifest m.toml and one finished run of it in `done`.
void run_once(const Workplace& place) {
  place.write("m.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run m.toml --quiet --out done").code == 0);
}

/// `--force` is refused, and says where and how to go on.
void check_refused(const Workplace& place, const std::string& folder, const std::string& named) {
  const Outcome outcome = place.mixwell("run m.toml --quiet --force --out " + folder);
  CHECK(outcome.code == 2);
  contains(outcome.err, named);
  contains(outcome.err, "--out");
}

/// A run in `busy` that goes on until it is killed.
class BusyRun {
 public:
  explicit BusyRun(const Workplace& place) : process_(fork()) {
    REQUIRE(process_ >= 0);
    if (process_ == 0) begin(place);
    for (int k = 0; k < 3000 && !fs::exists(place.path("busy/resume/checkpoint")); ++k)
      std::this_thread::sleep_for(20ms);
    REQUIRE(fs::exists(place.path("busy/resume/checkpoint")));
  }
  ~BusyRun() { kill(); }
  BusyRun(const BusyRun&) = delete;
  BusyRun& operator=(const BusyRun&) = delete;

  pid_t process() const { return process_; }
  bool lives() const { return ::waitpid(process_, nullptr, WNOHANG) == 0; }
  void kill() const {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

 private:
  [[noreturn]] static void begin(const Workplace& place) {
    if (::chdir(place.path("").c_str()) == 0) {
      execl(MIXWELL_PROGRAM, "mixwell", "run", "m.toml", "--quiet", "--out", "busy", "--set",
            "run.draws=10000000", "--set", "run.checkpoint_seconds=0.05",
            static_cast<char*>(nullptr));
    }
    _exit(99);
  }

  pid_t process_;
};

}  // namespace

TEST_CASE("A folder named resume that is somebody else's is not touched") {
  const Workplace place;
  run_once(place);
  place.write("docs/resume/cv.pdf", "CV");
  place.write("docs/manifest.toml", "mine");
  check_refused(place, "docs", "docs");
  CHECK(read(place.path("docs/resume/cv.pdf")) == "CV");
  CHECK(read(place.path("docs/manifest.toml")) == "mine");
  CHECK_FALSE(fs::exists(place.path("docs/.mixwell")));
}

TEST_CASE("A run.json that is no run's makes no folder a run's") {
  const Workplace place;
  run_once(place);
  place.write("docs/run.json", "{}");
  check_refused(place, "docs", "docs");
  place.write("docs/.mixwell", "my settings\n");
  check_refused(place, "docs", "docs");
  CHECK(read(place.path("docs/.mixwell")) == "my settings\n");
  CHECK(read(place.path("docs/run.json")) == "{}");
}

TEST_CASE("A run never writes or removes through a symbolic link") {
  const Workplace place;
  run_once(place);
  place.write("precious/thesis.txt", "mine");
  place.write("precious/checkpoint", "mine");
  fs::create_directory_symlink("../precious", place.path("done/resume"));
  check_refused(place, "done", "done/resume");
  fs::remove(place.path("done/resume"));
  fs::create_directory(place.path("done/resume"));
  fs::create_directory_symlink("../../precious", place.path("done/resume/look"));
  check_refused(place, "done", "done/resume/look");
  fs::remove(place.path("done/resume/look"));
  fs::create_symlink("../../precious/thesis.txt", place.path("done/resume/draws.nc.partial"));
  fs::create_symlink("../precious/thesis.txt", place.path("done/manifest.toml.partial"));
  check_refused(place, "done", "done/manifest.toml.partial");
  fs::remove(place.path("done/manifest.toml.partial"));
  CHECK(place.mixwell("run m.toml --quiet --force --out done").code == 0);
  CHECK(read(place.path("precious/thesis.txt")) == "mine");
  CHECK(read(place.path("precious/checkpoint")) == "mine");
  fs::remove(place.path("done/.mixwell"));
  fs::create_symlink("../precious/thesis.txt", place.path("done/.mixwell"));
  check_refused(place, "done", "done");
  CHECK(read(place.path("precious/thesis.txt")) == "mine");
}

TEST_CASE("What somebody put into a folder of Mixwell's stays") {
  const Workplace place;
  run_once(place);
  place.write("done/notes.txt", "mine");
  place.write("done/resume/cv.pdf", "CV");
  place.write("done/resume/look/cv.pdf", "CV");
  CHECK(place.mixwell("run m.toml --quiet --force --out done").code == 0);
  CHECK(read(place.path("done/notes.txt")) == "mine");
  CHECK(read(place.path("done/resume/cv.pdf")) == "CV");
  CHECK(read(place.path("done/resume/look/cv.pdf")) == "CV");
}

TEST_CASE("A name of results is not replaced where there never were any") {
  const Workplace place;
  run_once(place);
  BusyRun(place).kill();
  CHECK_FALSE(fs::exists(place.path("busy/run.json")));
  place.write("busy/manifest.toml", "mine");
  check_refused(place, "busy", "busy/manifest.toml");
  const Outcome resumed = place.mixwell("run --resume busy");
  CHECK(resumed.code == 2);
  contains(resumed.err, "busy/manifest.toml");
  CHECK(read(place.path("busy/manifest.toml")) == "mine");
  fs::remove(place.path("busy/manifest.toml"));
  CHECK(place.mixwell("run m.toml --quiet --force --out busy").code == 0);
  CHECK(draws_hash(place, "busy") == draws_hash(place, "done"));
}

TEST_CASE("A run from before there was a mark is known by its run.json or checkpoint") {
  const Workplace place;
  run_once(place);
  fs::remove(place.path("done/.mixwell"));
  CHECK(place.mixwell("run m.toml --quiet --force --out done").code == 0);
  CHECK(fs::exists(place.path("done/.mixwell")));
  BusyRun(place).kill();
  fs::remove(place.path("busy/.mixwell"));
  CHECK(place.mixwell("run m.toml --quiet --force --out busy").code == 0);
}

TEST_CASE("A run that is refused leaves neither folder nor mark") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const std::string bad = " --set run.init.value=[1e200]";
  CHECK(place.mixwell("run m.toml --quiet --out new" + bad).code != 0);
  CHECK_FALSE(fs::exists(place.path("new")));
  fs::create_directory(place.path("empty"));
  CHECK(place.mixwell("run m.toml --quiet --out empty" + bad).code != 0);
  CHECK(fs::is_empty(place.path("empty")));
}

TEST_CASE("While a run is at work in a folder no other may begin there") {
  const Workplace place;
  run_once(place);
  BusyRun first(place);
  for (const char* arguments :
       {"run m.toml --quiet --out busy", "run m.toml --quiet --force --out busy",
        "run --quiet --resume busy"}) {
    const Outcome second = place.mixwell(arguments);
    CHECK(second.code == 2);
    contains(second.err, "busy: process " + std::to_string(first.process()) + " on ");
    contains(second.err, "is working on a run in this folder");
  }
  CHECK(first.lives());
  CHECK(fs::exists(place.path("busy/resume/checkpoint")));
  first.kill();
  CHECK(place.mixwell("run m.toml --quiet --force --out busy").code == 0);
  CHECK(draws_hash(place, "busy") == draws_hash(place, "done"));
}
