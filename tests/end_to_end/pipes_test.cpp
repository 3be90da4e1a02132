// Pipes with a name and other things that are no files, where commands read files.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <sys/stat.h>

#include <filesystem>

using namespace end_to_end;
namespace fs = std::filesystem;

namespace {

/// A pipe in the place of a file, which nobody ever writes to.
void put_pipe(const Workplace& place, const std::string& name) {
  fs::create_directories(fs::path(place.path(name)).parent_path());
  fs::remove(place.path(name));
  REQUIRE(::mkfifo(place.path(name).c_str(), 0644) == 0);
}

/// Ends at once, with an error that names the file.
void refuses(const Workplace& place, const std::string& command, const std::string& file) {
  INFO(command);
  const Outcome outcome = place.mixwell(command, "timeout 20");
  CHECK(outcome.code == 2);
  contains(outcome.err, file);
  contains(outcome.err, "it is a pipe");
}

/// `mixwell COMMAND <(WRITER)`.
Outcome piped(const Workplace& place, const std::string& command, const std::string& writer) {
  return place.shell(std::string("timeout 20 bash -c '\"") + MIXWELL_PROGRAM + "\" " + command +
                     " <(" + writer + ")'");
}

}  // namespace

TEST_CASE("A pipe from the shell is read up to 16 MiB and while bytes come") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  CHECK(piped(place, "check", "cat m.toml").code == 0);
  CHECK(piped(place, "check", "sleep 1; cat m.toml").code == 0);
  CHECK(piped(place, "run --quiet --out o", "cat m.toml").code == 0);
  const Outcome large = piped(place, "check", "cat m.toml; yes \"# large\" | head -c 17000000");
  CHECK(large.code == 2);
  contains(large.err, "the data from the pipe exceed the limit of 16777216 bytes");
  const Outcome silent = piped(place, "check", "cat m.toml; sleep 9");
  CHECK(silent.code == 2);
  contains(silent.err, "no data arrived from the pipe for 5 s");
}

TEST_CASE("A pipe in the place of a study's database is refused") {
  const Workplace place;
  place.write("s.toml", gaussian_manifest() + "[study]\nseeds = [1, 2]\n");
  for (const char* const name : {"out/s/study.sqlite", "out/s/study.sqlite-wal"}) {
    fs::remove_all(place.path("out/s"));
    put_pipe(place, name);
    if (std::string(name).ends_with("wal")) place.write("out/s/study.sqlite", "");
    refuses(place, "study s.toml", "study.sqlite");
    for (const char* const reader : {"study s.toml --table", "report s.toml"}) {
      const Outcome outcome = place.mixwell(reader, "timeout 20");
      CHECK(outcome.code == 2);
      contains(outcome.err, "out/s: this folder contains no study");
    }
  }
}

TEST_CASE("A pipe in the place of what a resumed run reads is refused") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest("checkpoint_seconds = 1e-9\n"));
  place.mixwell("run m.toml --quiet --set run.draws=100000 --set run.thin=1000",
                "timeout -s INT 1");
  const std::string part = "out/m/resume/draws.nc.partial";
  REQUIRE(fs::exists(place.path(part)));
  put_pipe(place, part);
  refuses(place, "run --resume out/m", part);
}

TEST_CASE("A pipe among the plugins is a library that cannot be loaded, and stops nothing") {
  const Workplace place;
  put_pipe(place, "plugins/model-p.so");
  const Outcome listed =
      place.mixwell("plugins", "MIXWELL_PLUGIN_PATH=\"" + place.path("plugins") + "\" timeout 20");
  CHECK(listed.code == 0);
  contains(listed.out + listed.err, "it is a pipe");
}

TEST_CASE("A pipe in the place of draws, of a reference, or of a file that is hashed is refused") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run m.toml --quiet").code == 0);
  put_pipe(place, "p.nc");
  put_pipe(place, "p.csv");
  refuses(place, "summary p.nc", "p.nc");
  refuses(place, "summary out/m --reference p.nc", "p.nc");
  refuses(place, "summary out/m --reference p.csv", "p.csv");
  refuses(place, "summary out/m --directions p.csv", "p.csv");
  refuses(place, "run m.toml --out o --set run.init.file=\\\"p.csv\\\"", "p.csv");
  put_pipe(place, "out/m/summary.json");
  refuses(place, "report out/m", "summary.json");
  put_pipe(place, "m.toml");
  refuses(place, "check m.toml", "m.toml");
}
