// Bad input, tried one by one through the program: what it says and how it exits.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <nlohmann/json.hpp>

using namespace end_to_end;

namespace {

const std::string wrong_plugins = std::string(MIXWELL_BUILD_DIR) + "/tests/wrong";

/// What `run` says about a manifest that must not run.
std::string complaint(const Workplace& place, const std::string& manifest,
                      const std::string& options = "") {
  place.write("m.toml", manifest);
  const Outcome outcome = place.mixwell("run m.toml " + options);
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.starts_with("mixwell: error: "));
  CHECK_FALSE(std::filesystem::exists(place.path("out")));
  return outcome.err;
}

std::string complaint(const std::string& manifest, const std::string& options = "") {
  return complaint(Workplace(), manifest, options);
}

std::string regression(const std::string& more = "") {
  return "mixwell = 1\n[model.m]\nuse = \"logistic-regression\"\ndata = \"t.csv\"\n"
         "response = \"y\"\n" +
         more + "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.1\n";
}

std::string data_complaint(const std::string& csv, const std::string& more = "") {
  const Workplace place;
  place.write("t.csv", csv);
  return complaint(place, regression(more));
}

}  // namespace

TEST_CASE("Mistakes in a manifest are located and the nearest valid choice is named") {
  const std::string good = gaussian_manifest();
  contains(complaint(good + "stesp = 3\n"),
           "m.toml:13:1: kernel.hmc.stesp: unknown key (did you mean \"steps\"?)");
  contains(complaint(good + "[oracle.o]\nuse = \"exactt\"\n"),
           "m.toml:14:7: no oracle \"exactt\" (did you mean \"exact\"?)");
  contains(complaint(good + "[modle.x]\nuse = \"gaussian\"\n"),
           "m.toml:13:2: unknown kind \"modle\" (did you mean \"model\"?)");
  contains(complaint(good + "integrator = \"verlet\"\n"),
           "m.toml:13:14: kernel.hmc.integrator = \"verlet\": the manifest has no "
           "[integrator.verlet]");
  contains(complaint(good + "pool = \"yes\"\n"),
           "m.toml:13:8: kernel.hmc.pool = \"yes\": wants a boolean, found a text");
  contains(complaint(good, "--set kernel.hmc.steps=0"),
           "--set kernel.hmc.steps=0: kernel.hmc.steps = 0: must be at least 1");
  contains(complaint(good, "--set run.replicates=2.5"),
           "run.replicates = 2.5: wants an integer, found a number with a fraction");
  contains(complaint("[model.g]\nuse = \"gaussian\"\n"), "add the line `mixwell = 1`");
  contains(complaint("mixwell = 1\n[model\n"), "m.toml:2:");
  contains(complaint("mixwell = 1\n"), "needs a model as \"model\"");
}

TEST_CASE("A manifest that is not there is bad input") {
  const Workplace place;
  const Outcome outcome = place.mixwell("run nowhere.toml");
  CHECK(outcome.code == 2);
  contains(outcome.err, "mixwell: error: nowhere.toml: the manifest cannot be read");
}

TEST_CASE("A missing data file lists where it was looked for") {
  const Workplace place;
  place.write("m.toml", regression());
  const Outcome outcome = place.mixwell("run m.toml", "MIXWELL_DATA=/nowhere/data");
  CHECK(outcome.code == 2);
  contains(outcome.err, "m.toml:4:8: model.m.data = \"t.csv\": no such file (tried ");
  contains(outcome.err, "/nowhere/data/t.csv");
}

TEST_CASE("A ragged table names its line") {
  contains(data_complaint("x,y\n1,0\n2\n3,1\n"), "t.csv:3");
}

TEST_CASE("A cell that is no number names its row and column") {
  const std::string said = data_complaint("x,y\n1,0\ntwo,1\n3,1\n");
  contains(said, "t.csv:3");
  contains(said, "two");
  contains(said, "\"x\"");
}

TEST_CASE("A cell that is not finite names its row and column") {
  for (const char* cell : {"nan", "NaN", "inf", "-inf"}) {
    const std::string said = data_complaint("x,y\n1,0\n3,1\n" + std::string(cell) + ",1\n");
    contains(said, "t.csv:4");
    contains(said, cell);
  }
}

TEST_CASE("A response with one class only cannot be regressed on") {
  contains(data_complaint("x,y\n1,0\n2,0\n"), "m.toml:");
}

TEST_CASE("A table without inputs cannot be regressed on") {
  const std::string said = data_complaint("y\n0\n1\n");
  contains(said, "m.toml:");
}

TEST_CASE("An empty file and a header without rows are refused by name") {
  contains(data_complaint(""), "t.csv");
  contains(data_complaint("x,y\n"), "t.csv");
}

TEST_CASE("A label or a response that does not occur is located in the manifest") {
  contains(data_complaint("x,y\n1,0\n2,1\n", "positive = 7\n"),
           "m.toml:6:12: model.m.positive = 7");
  contains(data_complaint("x,z\n1,0\n2,1\n"), "\"y\"");
}

TEST_CASE("A start outside the reach of doubles names replicate, parameter and quantity") {
  const std::string said = complaint(gaussian_manifest("init = { value = [1e200, 0, 0] }\n"));
  contains(said, "U is inf at the start of replicate 0");
  contains(said, "x[0] = 1e+200");
}

TEST_CASE("Broken plugins are listed with their reasons and harm nobody") {
  const Workplace place;
  place.write("garbage/text.so", "not a library at all");
  place.write("m.toml", gaussian_manifest());
  const std::string path = "MIXWELL_PLUGIN_PATH=\"" + wrong_plugins + ":garbage\"";

  const Outcome list = place.mixwell("plugins", path);
  CHECK(list.code == 0);
  contains(list.out, "wrong_abi_tag.so: built unlike this Mixwell: ");
  contains(list.out, "rebuild it with mixwell_add_plugin()");
  contains(list.out, "no_symbols.so: not a Mixwell plugin: it has no ABI tag");
  contains(list.out, "no_register.so: not a Mixwell plugin: it has no symbol mixwell_register");
  contains(list.out, "throws.so: failed while registering: the licence server is away");
  contains(list.out, "text.so: not a library");
  contains(list.out, "duplicate_second.so: model \"twin\" is already offered by " + wrong_plugins +
                         "/duplicate_first.so");

  const auto json = nlohmann::json::parse(place.mixwell("plugins --json", path).out);
  CHECK(json["broken"].size() == 7);

  CHECK(place.mixwell("run m.toml --quiet", path).code == 0);
}

TEST_CASE("A plugin folder that does not exist is bad input") {
  const Workplace place;
  const Outcome outcome = place.mixwell("plugins", "MIXWELL_PLUGIN_PATH=/nowhere/plugins");
  CHECK(outcome.code == 2);
  contains(outcome.err, "/nowhere/plugins");
}

TEST_CASE("A kernel that declares itself biased is refused unless allowed") {
  const Workplace place;
  const std::string path = "MIXWELL_PLUGIN_PATH=\"" + wrong_plugins + "\"";
  place.write("m.toml",
              "mixwell = 1\n[run]\nwarmup = 0\ndraws = 20\n[model.g]\nuse = \"gaussian\"\n"
              "dimension = 3\n[kernel.k]\nuse = \"biased\"\n");
  const Outcome refused = place.mixwell("run m.toml", path);
  CHECK(refused.code == 3);
  contains(refused.err, "biased");
  contains(refused.err, "allow = [\"biased\"]");
  CHECK_FALSE(std::filesystem::exists(place.path("out/m/draws.nc")));

  CHECK(place.mixwell("check m.toml", path).code == 3);
  const Outcome allowed = place.mixwell("run m.toml --set 'run.allow=[\"biased\"]'", path);
  CHECK(allowed.code == 0);
  contains(allowed.out, "biased: ");
  contains(allowed.out, "Warning: the draws are not certified exact");
}

TEST_CASE("Results are not written over something else") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  place.write("precious/thesis.txt", "years of work");
  const Outcome foreign = place.mixwell("run m.toml --out precious --force");
  CHECK(foreign.code == 2);
  contains(foreign.err, "precious");
  CHECK(read(place.path("precious/thesis.txt")) == "years of work");

  CHECK(place.mixwell("run m.toml --quiet").code == 0);
  const Outcome again = place.mixwell("run m.toml --quiet");
  CHECK(again.code == 2);
  contains(again.err, "out/m");
  contains(again.err, "--force");
  CHECK(place.mixwell("run m.toml --quiet --force").code == 0);
}

TEST_CASE("An output folder that cannot be made is bad input") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  place.write("file", "in the way");
  const Outcome outcome = place.mixwell("run m.toml --out file/results");
  CHECK(outcome.code == 2);
  contains(outcome.err, "file/results");
}

TEST_CASE("A full disk fails the run, says where, and leaves no half-written draws") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  // A limit of 256 blocks of 512 bytes on the size of a file stands in for the disk's.
  const Outcome outcome =
      place.shell("( trap '' XFSZ; ulimit -f 256; exec \"" + std::string(MIXWELL_PROGRAM) +
                  "\" run m.toml --set run.draws=200000 )");
  CHECK(outcome.code == 1);
  CHECK(outcome.err.starts_with("mixwell: error: "));
  contains(outcome.err, "draws.nc");
  CHECK_FALSE(std::filesystem::exists(place.path("out/m/draws.nc")));
}

TEST_CASE("Transitions that leave the doubles are divergences with their positions") {
  const Workplace place;
  place.write("m.toml",
              "mixwell = 1\n[run]\nwarmup = 20\ndraws = 100\ninit = { value = [3] }\n[model.q]\n"
              "use = \"quartic\"\ndimension = 2\n[kernel.hmc]\nuse = \"hamiltonian\"\n"
              "step_size = 3.0\nsteps = 40\n");
  const Outcome outcome = place.mixwell("run m.toml");
  CHECK(outcome.code == 0);
  contains(outcome.out, "transitions diverged");
  const auto run = nlohmann::json::parse(read(place.path("out/m/run.json")));
  const nlohmann::json& divergences = run["divergences"];
  CHECK(divergences["count"].get<int>() > 0);
  REQUIRE_FALSE(divergences["first"].empty());
  CHECK(divergences["first"][0]["position"].size() == 2);
}

TEST_CASE("With --json an error is an object too") {
  const Workplace place;
  place.write("m.toml", "mixwell = 2\n");
  for (const char* command : {"run m.toml --json", "check m.toml --json"}) {
    const Outcome outcome = place.mixwell(command);
    CHECK(outcome.code == 2);
    const auto json = nlohmann::json::parse(outcome.out);
    CHECK(json["code"] == 2);
    CHECK("mixwell: error: " + json["error"].get<std::string>() + "\n" == outcome.err);
  }
}
