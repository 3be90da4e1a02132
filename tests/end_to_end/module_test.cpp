// Modules of commands: what they lack is told, and what does not need them does without.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

using namespace end_to_end;

namespace {

namespace fs = std::filesystem;

/// A copy of program and libmixwell in the shape that they are installed in, without modules.
std::string bare_program(const Workplace& place) {
  const fs::path program = fs::canonical(MIXWELL_PROGRAM);
  fs::create_directories(place.path("bin"));
  fs::create_directories(place.path("lib/mixwell/plugins"));
  fs::create_directories(place.path("lib/mixwell/commands"));
  fs::copy(program, place.path("bin/mixwell"));
  for (const fs::directory_entry& file :
       fs::directory_iterator(program.parent_path().parent_path() / "lib")) {
    if (file.is_directory()) continue;
    fs::copy(file, place.path("lib") + "/" + file.path().filename().string(),
             fs::copy_options::copy_symlinks);
  }
  return "LD_LIBRARY_PATH=lib ./bin/mixwell ";
}

}  // namespace

TEST_CASE("a module that is missing or no library is an error that names the file and the cure") {
  const Workplace place;
  const std::string program = bare_program(place);
  for (const std::string command : {"verify g.toml", "study s.toml", "report out", "schema --study",
                                    "study s.toml --table", "worker"}) {
    INFO(command);
    const Outcome outcome = place.shell(program + command);
    CHECK(outcome.code == 1);
    CHECK(outcome.out.empty());
    contains(outcome.err, "/lib/mixwell/commands/");
    contains(outcome.err, "is missing. Build Mixwell (./dev build), or reinstall Mixwell");
  }
  place.write("lib/mixwell/commands/verify.so", "no library");
  const Outcome broken = place.shell(program + "verify g.toml --json");
  CHECK(broken.code == 1);
  contains(broken.err, "/lib/mixwell/commands/verify.so`, which cannot be loaded (");
  contains(broken.out, "\"code\":1");
}

TEST_CASE("help and commands of the program itself load no module") {
  const Workplace place;
  const std::string program = bare_program(place);
  CHECK(place.shell(program + "--help").code == 0);
  for (const char* command : {"verify", "study", "report", "worker", "schema"}) {
    INFO(command);
    CHECK(place.shell(program + command + " --help").code == 0);
  }
  CHECK(place.shell(program + "plugins").code == 0);
}
