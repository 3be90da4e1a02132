// Libraries that end, crash or hold up the process that loads them: no command is stopped by one.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

using end_to_end::contains;
using end_to_end::gaussian_manifest;
using end_to_end::Outcome;
using end_to_end::read;
using end_to_end::Workplace;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Copies of one library, whose name says what it does.
class PluginPath {
 public:
  explicit PluginPath(const Workplace& place) : place_(place) {
    fs::create_directories(place.path("plugins"));
  }

  /// A copy under that name.
  std::string add(const std::string& name) const {
    const std::string file = place_.path("plugins/" + name + ".so");
    fs::copy_file(MIXWELL_BUILD_DIR "/tests/wrong/hostile.so", file);
    return file;
  }

  /// In front of the program. A hang fails the test, and does not hold it up.
  std::string before() const {
    return "MIXWELL_PLUGIN_PATH=\"" + place_.path("plugins") + "\" timeout 120 env";
  }

 private:
  const Workplace& place_;
};

/// How often a library was loaded since the last time this was asked.
class Loads {
 public:
  explicit Loads(const std::string& library) : file_(library + ".loaded") { forget(); }

  long count() const {
    const std::string text = read(file_);
    forget();
    return std::count(text.begin(), text.end(), '\n');
  }

 private:
  void forget() const { std::ofstream(file_, std::ios::trunc); }
  std::string file_;
};

std::string reason_for(const Json& list, const std::string& file) {
  for (const Json& broken : list["broken"]) {
    if (broken["library"] == file) return broken["reason"];
  }
  return "";
}

bool has(const Json& list, const std::string& id) {
  return std::any_of(list["plugins"].begin(), list["plugins"].end(),
                     [&](const Json& plugin) { return plugin["id"] == id; });
}

struct Harm {
  const char* name;
  const char* reason;
};

const std::vector<Harm> harms = {
    {"exit-when-loaded", "ends the process that loads it, with exit code 0"},
    {"quick-exit-when-loaded", "ends the process that loads it, with exit code 0"},
    {"throw-when-loaded",
     "crashes: Aborted (SIGABRT). The last lines that the process printed are: terminate called"},
    {"crash-when-loaded", "crashes: Segmentation fault (SIGSEGV)"},
    {"exit-when-registering", "ends the process that loads it, with exit code 0"},
    {"quick-exit-when-registering", "ends the process that loads it, with exit code 0"},
    {"throw-when-registering", "failed to register its components: the licence server is away"},
    {"crash-when-registering", "crashes: Segmentation fault (SIGSEGV)"}};

}  // namespace

TEST_CASE("A library that would end its process is listed with the reason and stops no command") {
  const Workplace place;
  const PluginPath plugins(place);
  plugins.add("hostile");
  for (const Harm& harm : harms) plugins.add(harm.name);
  const Outcome outcome = place.mixwell("plugins --json", plugins.before());
  REQUIRE(outcome.code == 0);
  const Json list = Json::parse(outcome.out);
  CHECK(has(list, "harmless"));
  CHECK(has(list, "gaussian"));
  CHECK(list["broken"].size() == harms.size());
  for (const Harm& harm : harms) {
    const std::string file = place.path("plugins/" + std::string(harm.name) + ".so");
    const std::string reason = reason_for(list, file);
    contains(reason, file);
    contains(reason, harm.reason);
  }
  place.write("m.toml", gaussian_manifest());
  CHECK(place.mixwell("run m.toml", plugins.before()).code == 0);
  CHECK(fs::exists(place.path("out/m/run.json")));
  place.write("s.toml", gaussian_manifest() + "[study]\nseeds = [1, 2]\n");
  CHECK(place.mixwell("study s.toml", plugins.before()).code == 0);
}

TEST_CASE("A manifest that needs a library which cannot be loaded is told library and reason") {
  const Workplace place;
  const PluginPath plugins(place);
  const std::string file = plugins.add("crash-when-registering");
  place.write("m.toml",
              "mixwell = 1\n[model.g]\nuse = \"harmless\"\n[estimator.identity]\nuse = "
              "\"identity\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 10\n");
  const Outcome outcome = place.mixwell("run m.toml", plugins.before());
  CHECK(outcome.code == 2);
  contains(outcome.err, "m.toml:3:");
  contains(outcome.err, "no model \"harmless\"");
  contains(outcome.err, file + ": the process that loads the library crashes: Segmentation fault");
}

TEST_CASE("A library that never ends loading is given up after its trial", "[slow]") {
  const Workplace place;
  const PluginPath plugins(place);
  const std::string file = plugins.add("loop-when-registering");
  const Loads loads(file);
  const Outcome outcome = place.mixwell("plugins --json", plugins.before());
  REQUIRE(outcome.code == 0);
  contains(reason_for(Json::parse(outcome.out), file),
           "the library did not load within 10 seconds");
  CHECK(loads.count() == 1);
}

TEST_CASE("Help and what reads results load no plugin") {
  const Workplace place;
  const PluginPath plugins(place);
  const Loads loads(plugins.add("hostile"));
  place.write("m.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run m.toml", plugins.before()).code == 0);
  CHECK(loads.count() == 2);  // for trial, and in the program
  for (const char* words : {"--help", "run --help", "--version", "summary out/m"}) {
    CHECK(place.mixwell(words, plugins.before()).code == 0);
    CHECK(loads.count() == 0);
  }
  place.mixwell("report out/m", plugins.before());  // needs the page, which not every build has
  CHECK(loads.count() == 0);
}
