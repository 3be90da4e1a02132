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
           "m.toml:13:8: kernel.hmc.pool = \"yes\": must be a boolean (got a string)");
  contains(complaint(good, "--set kernel.hmc.steps=0"),
           "--set kernel.hmc.steps=0: kernel.hmc.steps = 0: must be at least 1");
  contains(complaint(good, "--set run.replicates=2.5"),
           "run.replicates = 2.5: must be an integer (got a number with a fraction)");
  contains(complaint("[model.g]\nuse = \"gaussian\"\n"), "Add the line `mixwell = 1`");
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
  contains(outcome.err, "m.toml:4:8: model.m.data = \"t.csv\": there is no such file (tried ");
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
  // No case is left by these.
  contains(data_complaint("x,y\n1,0\n2,1\n", "negative = 7\n"),
           "positive: must be given if `negative` is given");
  contains(data_complaint("x,y\n1,0\n2,1\n", "positive = 8\nnegative = 7\n"),
           "m.toml:6:12: model.m.positive = 8");
}

TEST_CASE("A start outside the reach of doubles names replicate, parameter and quantity") {
  const std::string said = complaint(gaussian_manifest("init = { value = [1e200, 0, 0] }\n"));
  contains(said, "U is inf at the starting point of replicate 0");
  contains(said, "x[0] = 1e+200");
}

TEST_CASE("Broken plugins are listed with their reasons and harm nobody") {
  const Workplace place;
  place.write("garbage/text.so", "not a library at all");
  place.write("m.toml", gaussian_manifest());
  const std::string path = "MIXWELL_PLUGIN_PATH=\"" + wrong_plugins + ":garbage\"";

  const Outcome list = place.mixwell("plugins", path);
  CHECK(list.code == 0);
  contains(list.out, "wrong_abi_tag.so: this plugin was built for a different build of Mixwell: ");
  contains(list.out, "Rebuild it with mixwell_add_plugin()");
  contains(list.out, "no_symbols.so: this file is not a Mixwell plugin, because it has no ABI tag");
  contains(list.out,
           "no_register.so: this file is not a Mixwell plugin, because it has no symbol "
           "mixwell_register");
  contains(list.out,
           "throws.so: this plugin failed to register its components: the licence server is away");
  contains(list.out, "text.so: this file is not a library");
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
              "use = \"quartic\"\ndimension = 2\n[estimator.identity]\nuse = \"identity\"\n"
              "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 3.0\nsteps = 40\n");
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

TEST_CASE("More threads or jobs than eight for each core are refused with the limit") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  place.write("s.toml", gaussian_manifest() + "[study]\n");
  for (const std::string command : {"run m.toml --threads 65536", "verify m.toml --threads 65536",
                                    "study s.toml --jobs 65536"}) {
    INFO(command);
    const Outcome outcome = place.mixwell(command);
    CHECK(outcome.code == 2);
    contains(outcome.err, "65536");
    const bool jobs = command.find("--jobs") != std::string::npos;
    contains(outcome.err, jobs ? "eight jobs for each core" : "eight threads for each core");
    CHECK_FALSE(std::filesystem::exists(place.path("out/m")));
  }
}

// Sanitizers reserve more memory than any limit leaves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("Memory that is not there is named with its key and its limit") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const auto refused = [&](const std::string& arguments, const std::string& part) {
    INFO(arguments);
    const Outcome outcome = place.mixwell(arguments, "MIXWELL_MEMORY=300M");
    CHECK(outcome.code == 2);
    contains(outcome.err, part);
    contains(outcome.err, "MIXWELL_MEMORY = 300M");
    CHECK(outcome.err.find("bad_alloc") == std::string::npos);
  };
  for (const char* command : {"check", "run"}) {
    refused(command + std::string(" m.toml --set model.g.dimension=100000000"),
            "model.g.dimension = 100000000: needs ");
    refused(command + std::string(" m.toml --set run.replicates=268435456"),
            "run.replicates = 268435456: ");
  }
  CHECK(place.mixwell("check m.toml", "MIXWELL_MEMORY=300M").code == 0);
  CHECK(place.mixwell("check m.toml", "MIXWELL_MEMORY=lots").code == 2);
  contains(place.mixwell("check m.toml", "MIXWELL_MEMORY=lots").err,
           "must be a size of at least 16M. Use, for example, 4G");
}
#endif

TEST_CASE("Manifests that may wait for ever, or have no end, are refused at once") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const auto refused = [&](const std::string& command, const std::string& part) {
    INFO(command);
    const Outcome outcome =
        place.shell("timeout 20 \"" + std::string(MIXWELL_PROGRAM) + "\" " + command);
    CHECK(outcome.code == 2);
    contains(outcome.err, part);
  };
  REQUIRE(
      place.shell("mkfifo fifo && ln -s loop loop && ln -s /dev/zero zero && mkdir folder").code ==
      0);
  refused("check fifo", "fifo: the manifest cannot be read: it is a pipe");
  refused("check zero", "zero: the manifest cannot be read: it is a device");
  refused("check folder", "it is a folder");
  refused("check loop", "Too many levels of symbolic links");
  refused("study fifo", "fifo: the study cannot be read: it is a pipe");
  refused("summary fifo", "fifo: cannot read this file: it is a pipe");
  refused("check " + std::string(5000, 'a'), "File name too long");
  const Outcome piped =
      place.shell("cat m.toml | \"" + std::string(MIXWELL_PROGRAM) + "\" check /dev/stdin");
  CHECK(piped.code == 0);
}

TEST_CASE("A data file that is none is named with its key and the true reason") {
  const Workplace place;
  REQUIRE(place.shell("mkfifo fifo && ln -s loop loop && mkdir folder").code == 0);
  const auto said = [&](const std::string& name) {
    std::string manifest = regression();
    manifest.replace(manifest.find("t.csv"), 5, name);
    return complaint(place, manifest);
  };
  contains(said("fifo"), "m.toml:4:8: model.m.data = \"fifo\": the file cannot be read (tried ");
  contains(said("fifo"), "fifo: it is a pipe");
  contains(said("folder"), "folder: it is a folder");
  contains(said("/dev/zero"), "(tried /dev/zero: it is a device)");
  contains(said("loop"), "Too many levels of symbolic links");
  contains(said(std::string(5000, 'a')), "File name too long");
  contains(said(""), "m.toml:4:8: model.m.data = \"\": must be the name of a file");
  contains(data_complaint("x,y\n1,0\n2,1\n", "inputs = []\n"),
           "m.toml:6:10: model.m.inputs = []: must not be empty. Remove the key to use the "
           "default (all columns that no other key names)");
}

TEST_CASE("Texts of any length are shortened, and not compared letter by letter") {
  const Workplace place;
  const std::string long_text(10000000, 'x');
  for (const std::string& line :
       {"integrator = \"" + long_text + "\"\n", "[oracle.o]\nuse = \"" + long_text + "\"\n",
        long_text + " = 1\n", "[" + long_text + "]\na = 1\n"}) {
    const std::string said = complaint(place, gaussian_manifest() + line);
    CHECK(said.size() < 10000);
    contains(said, "xxx... (1");
  }
  const std::string cell = data_complaint("x,y\n" + long_text + ",0\n2,1\n");
  CHECK(cell.size() < 10000);
  contains(cell, "t.csv:2: row 1, column \"x\": \"xxx");
}

TEST_CASE("One --set gives one key") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome outcome =
      place.mixwell("check m.toml --set \"$(printf 'run.draws=5\\n[model.x]')\"");
  CHECK(outcome.code == 2);
  contains(outcome.err, "must be one value on one line");
}

TEST_CASE("The article before a kind is the right one") {
  contains(complaint(gaussian_manifest() + "integrator = 3\n"),
           "must be the name of an integrator");
  contains(complaint(gaussian_manifest() + "integrator = \"g\"\n"),
           "must name an integrator, but \"g\" is the model [model.g]");
}

TEST_CASE("Names that draws.nc cannot have are found by check, with file and column") {
  const Workplace place;
  place.write("m.toml", regression());
  const auto checked = [&](const std::string& header) {
    place.write("t.csv", header + ",y\n1,0\n2,1\n3,0\n");
    return place.mixwell("check m.toml");
  };
  const auto refused = [&](const std::string& header, const std::string& where,
                           const std::string& rule) {
    const Outcome outcome = checked(header);
    CHECK(outcome.code == 2);
    contains(outcome.err, where);
    contains(outcome.err, rule);
  };
  refused(std::string(1000, 'n'), "t.csv: the column \"",
          "has 1000 bytes, but may have at most 240");
  refused(
      "gr\xF6\xDF"
      "e",
      "t.csv:1: column 1: the name \"", "is not valid UTF-8");
  for (const char* mended : {"\"blank \"", "a/b", "<x", "chain",
                             "gr\xC3\xB6\xC3\x9F"
                             "e"}) {
    INFO(mended);
    CHECK(checked(mended).code == 0);
    CHECK(place.mixwell("run m.toml --quiet --force --set run.draws=5 --set run.warmup=5").code ==
          0);
  }
}

TEST_CASE("What a run refuses before its first draw, check refuses with the same words") {
  const Workplace place;
  place.write("one.csv", "x[0],x[1],x[2]\n0,0\n");
  place.write("two.csv", "x[0],x[1]\n0,0\n");
  for (const char* init : {"{ file = \"one.csv\" }", "{ file = \"two.csv\" }", "{ value = [1, 2] }",
                           "\"prior\"", "{ value = [1e200] }"}) {
    INFO(init);
    place.write("m.toml", gaussian_manifest("init = " + std::string(init) + "\n"));
    const Outcome check = place.mixwell("check m.toml");
    const Outcome run = place.mixwell("run m.toml");
    CHECK(check.code == 2);
    CHECK(run.code == 2);
    CHECK(check.err == run.err);
  }
}

TEST_CASE("One replicate that cannot start is found by check as by run") {
  const Workplace place;
  std::string starts = "x[0],x[1],x[2]\n";
  for (int replicate = 0; replicate < 40; ++replicate)
    starts += replicate == 37 ? "0,1e200,0\n" : "0,0,0\n";
  place.write("starts.csv", starts);
  place.write("m.toml", gaussian_manifest("replicates = 40\ninit = { file = \"starts.csv\" }\n"));
  for (const char* const command : {"check m.toml", "run m.toml"}) {
    const Outcome outcome = place.mixwell(command);
    CHECK(outcome.code == 2);
    contains(outcome.err, "is inf at the starting point of replicate 37 (");
  }
  CHECK_FALSE(std::filesystem::exists(place.path("out/m")));
}

TEST_CASE("A name that a recorder refuses is found by check among thousands") {
  const Workplace place;
  std::string names;
  std::string zeros;
  for (int k = 0; k < 2500; ++k) {
    names += "x" + std::to_string(k) + ",";
    zeros += "0,";
  }
  place.write("t.csv", names + "a,g,y\n" + zeros + "1,u,1\n" + zeros + "0,v,0\n");
  place.write("m.toml", regression("factors = [\"g\"]\n"));
  CHECK(place.mixwell("check m.toml").code == 0);
  place.write("t.csv", names + "g_level,g,y\n" + zeros + "1,u,1\n" + zeros + "0,v,0\n");
  for (const char* const command : {"check m.toml", "run m.toml --set run.draws=5"}) {
    const Outcome outcome = place.mixwell(command);
    CHECK(outcome.code == 2);
    contains(
        outcome.err,
        "cannot record a variable named 'g_level': the name is already the name of a coordinate");
  }
}

TEST_CASE("Counts have upper bounds") {
  contains(complaint(gaussian_manifest() + "steps_jitter = [1, 1e300]\n"),
           "m.toml:13:20: kernel.hmc.steps_jitter[1] = 1e+300: must be at most 1000000");
  contains(complaint(gaussian_manifest("draws = 1e400\n")), "m.toml:5:");
}

TEST_CASE("A manifest that asks for a different instruction set is refused") {
  const std::string own = MIXWELL_ISA;
  if (!own.starts_with("x86-64-v")) return;
  const auto manifest = [](const std::string& isa) {
    return gaussian_manifest("isa = \"" + isa + "\"\n");
  };
  const std::string other = own == "x86-64-v4" ? "x86-64-v3" : "x86-64-v4";
  const std::string refused = complaint(manifest(other));
  contains(refused, "run.isa asks for the instruction set " + other);
  contains(refused, "-DMIXWELL_ISA=" + other);
  contains(complaint(manifest("avx2")), "must be one of x86-64-v2, x86-64-v3, x86-64-v4");
  const Workplace place;
  place.write("m.toml", manifest(own));
  REQUIRE(place.mixwell("run m.toml --quiet --out same").code == 0);
  const auto record = nlohmann::json::parse(read(place.path("same/run.json")));
  CHECK(record.at("versions").at("isa") == own);
  place.write("s.toml",
              "mixwell = 1\n[study]\nbase = \"m.toml\"\n[run]\nisa = \"" + other + "\"\n");
  const Outcome study = place.mixwell("study s.toml --quiet");
  CHECK(study.code == 2);
  contains(study.err, "s.toml: run.isa asks for the instruction set " + other);
}
