// From the text of a manifest to components, with every possible error.
// SPDX-License-Identifier: Apache-2.0
#include "temporary_folder.hpp"
#include "toy_components.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/manifest.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <variant>

using namespace mixwell;
using mixwell::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

Composition parse(const std::string& text, const std::vector<Override>& overrides = {}) {
  static const Registry registry = toy::registry();
  return parse_manifest(text, "m.toml", registry, overrides);
}

std::string failure(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const InputError& fault) {
    return fault.what();
  }
  FAIL("the manifest was accepted:\n" << text);
  return {};
}

void contains(const std::string& text, const std::string& part) {
  INFO("looking for \"" << part << "\" in \"" << text << "\"");
  CHECK(text.find(part) != std::string::npos);
}

/// A model table with one more line, which is line 4.
std::string with_model_line(const std::string& line) {
  return "mixwell = 1\n[model.m]\nuse = \"flat\"\n" + line + "\n[kernel.k]\nuse = \"step\"\n";
}

std::string model_failure(const std::string& line) { return failure(with_model_line(line)); }

const toy::Flat& model_of(const Composition& composition) {
  return dynamic_cast<const toy::Flat&>(*composition.model());
}

const toy::Chain& chain_of(const Composition& composition) {
  return dynamic_cast<const toy::Chain&>(*composition.compositor);
}

const toy::Step& kernel_of(const Composition& composition) {
  return dynamic_cast<const toy::Step&>(*chain_of(composition).params.kernel);
}

}  // namespace

TEST_CASE("The shortest manifest works: references and missing parts fill themselves in") {
  const Composition c = parse(toy::smallest);
  CHECK(c.name == "m");
  CHECK(c.run.replicates == 4);
  CHECK(c.run.init.how == Init::How::model);
  CHECK(model_of(c).params.size == 2);
  CHECK(kernel_of(c).name() == "k");
  CHECK(kernel_of(c).params.integrator->name() == "leapfrog");
  REQUIRE(c.recorders.size() == 1);
  CHECK(c.recorders.front()->name() == "netcdf");
  CHECK(c.libraries == std::vector<std::string>{"/plugins/chain.so", "/plugins/flat.so",
                                                "/plugins/leapfrog.so", "/plugins/netcdf.so",
                                                "/plugins/step.so"});
}

TEST_CASE("Values of every type arrive") {
  const Composition c = parse(with_model_line(R"(scale = 3
size = 4
centred = true
weights = [1, 2.5]
labels = ["a", "b"]
level = -1.5
span = [0.5, 2]
predict.p_31F = { temperature = 31 }
predict.p_66F = { temperature = 66, pressure = 200, site = "north" })"));
  const toy::Flat::Params& p = model_of(c).params;
  CHECK(p.scale == 3);
  CHECK(p.size == 4);
  CHECK(p.centred);
  CHECK(p.weights == std::vector<double>{1, 2.5});
  CHECK(p.labels == std::vector<std::string>{"a", "b"});
  CHECK(p.level == -1.5);
  CHECK(p.span == Interval(0.5, 2));
  CHECK(p.predict ==
        NamedPoints{{"p_31F", {{"temperature", 31.0}}},
                    {"p_66F", {{"pressure", 200.0}, {"site", "north"}, {"temperature", 66.0}}}});
}

TEST_CASE("A free text may be written as an integer, such as a label") {
  const Composition c = parse(with_model_line("labels = [\"a\", 2]"));
  CHECK(model_of(c).params.labels == std::vector<std::string>{"a", "2"});
  contains(c.effective_manifest, "labels = [\"a\", \"2\"]");
  contains(model_failure("labels = [2.5]"), "must be a string (got a number with a fraction)");
}

TEST_CASE("The effective manifest has every default and reproduces itself") {
  const Composition first = parse(with_model_line("predict.a = { b = 0.1 }\nspan = [1, 3]"));
  contains(first.effective_manifest, "scale = 1.0  # width of the target [nats]");
  contains(first.effective_manifest, "integrator = \"leapfrog\"");
  contains(first.effective_manifest, "[recorder.netcdf]");
  contains(first.effective_manifest, "[compositor.chain]");
  contains(first.effective_manifest, "model = \"m\"");
  contains(first.effective_manifest, "block_width = 8");
  contains(first.effective_manifest, "init = \"model\"");
  contains(first.effective_manifest, "# level is not set: height");
  const Composition second = parse(first.effective_manifest);
  CHECK(second.effective_manifest == first.effective_manifest);
  CHECK(model_of(second).params.predict == model_of(first).params.predict);
}

TEST_CASE("Doubles survive the effective manifest bit by bit") {
  const Composition first = parse(with_model_line("scale = 0.30000000000000004"));
  CHECK(model_of(parse(first.effective_manifest)).params.scale == 0.30000000000000004);
}

TEST_CASE("What is declared but not used is remarked on and left out") {
  const Composition c = parse(toy::smallest +
                              "[integrator.a]\nuse = \"leapfrog\"\n[kernel.spare]\n"
                              "use = \"step\"\n[compositor.c]\nuse = \"chain\"\n"
                              "kernel = \"k\"\n");
  REQUIRE(c.remarks.size() == 2);
  CHECK(c.remarks[0] == "m.toml:8:1: no component uses [kernel.spare].");
  CHECK(c.remarks[1] == "model.m: It is flat.");
  CHECK(c.effective_manifest.find("spare") == std::string::npos);
  CHECK(kernel_of(c).params.integrator->name() == "a");
}

TEST_CASE("The format version is required and must be known") {
  contains(failure("[run]\nseed = 1\n"),
           "m.toml:1:1: the format version is missing. Add the line "
           "`mixwell = 1`");
  contains(failure("mixwell = 2\n"),
           "m.toml:1:11: mixwell = 2: this program reads only manifests of "
           "format 1");
  contains(failure("mixwell = \"1\"\n"), "format 1");
}

TEST_CASE("Text that is no TOML is located") {
  contains(failure("mixwell = 1\n[run\nseed = 1\n"), "m.toml:2:");
  contains(failure("mixwell = 1\nmixwell = 1\n"), "not valid TOML");
}

TEST_CASE("An unknown kind names the nearest one") {
  contains(failure(toy::smallest + "[integrater.x]\nuse = \"leapfrog\"\n"),
           "m.toml:6:2: unknown kind \"integrater\" (did you mean \"integrator\"?)");
}

TEST_CASE("An unknown key names the nearest one") {
  contains(model_failure("scael = 2"),
           "m.toml:4:1: model.m.scael: unknown key (did you mean \"scale\"?)");
  contains(failure("mixwell = 1\n[run]\ndraw = 5\n"),
           "m.toml:3:1: run.draw: unknown key (did you mean \"draws\"?)");
}

TEST_CASE("An unknown plugin names the nearest one") {
  contains(failure("mixwell = 1\n[model.m]\nuse = \"falt\"\n"),
           "m.toml:3:7: no model \"falt\" (did you mean \"flat\"?)");
}

TEST_CASE("A table without use lists the plugins") {
  contains(failure("mixwell = 1\n[kernel.k]\nsteps = 5\n"),
           "m.toml:2:1: [kernel.k] must have the key \"use\" with the id of a plugin (known: pair, "
           "step)");
}

TEST_CASE("A key in place of a table is explained") {
  contains(failure("mixwell = 1\n[kernel]\nuse = \"step\"\n"),
           "m.toml:3:1: kernel.use = \"step\": this key must be inside a table [kernel.NAME]");
  contains(failure("mixwell = 1\nkernel = 3\n"),
           "`kernel` must be a table that contains tables [kernel.NAME]");
}

TEST_CASE("A value of the wrong type is located and both types are named") {
  contains(model_failure("scale = \"3\""),
           "m.toml:4:9: model.m.scale = \"3\": must be a number (got a string)");
  contains(model_failure("scale = true"), "must be a number (got a boolean)");
  contains(model_failure("size = 10.0"),
           "model.m.size = 10.0: must be an integer (got a number with a fraction)");
  contains(model_failure("centred = 1"), "must be a boolean (got an integer)");
  contains(model_failure("shape = 1"), "must be a string (got an integer)");
  contains(model_failure("weights = 1"), "must be a list of numbers (got an integer)");
  contains(model_failure("weights = [1, \"a\"]"),
           "m.toml:4:15: model.m.weights[1] = \"a\": must be a number (got a string)");
  contains(model_failure("predict = { a = 1 }"),
           "model.m.predict.a = 1: must be a table whose values are numbers or strings");
  contains(model_failure("predict.p = { a = true }"),
           "model.m.predict.p.a = true: must be a number or a string");
  contains(model_failure("scale = 2020-01-01"), "(got a date or time)");
}

TEST_CASE("A value out of range is located and the rule is named") {
  contains(model_failure("scale = 0"), "m.toml:4:9: model.m.scale = 0: must be above 0");
  contains(model_failure("size = 65"), "model.m.size = 65: must be at most 64");
  contains(model_failure("weights = [1, -1]"), "model.m.weights[1] = -1: must be at least 0");
  contains(model_failure("scale = nan"), "model.m.scale = nan: must be finite");
  contains(model_failure("scale = inf"), "must be finite");
  contains(model_failure("span = [2, 1]"), "must be two numbers [low, high] with low <= high");
  contains(model_failure("span = [1]"), "must be two numbers");
  contains(model_failure("span = [0, 1]"), "model.m.span[0] = 0: must be above 0");
  contains(model_failure("shape = \"rond\""),
           "must be one of round, square (did you mean \"round\"?)");
}

TEST_CASE("A missing required key is asked for where the table stands") {
  contains(failure(toy::smallest + "[kernel.p]\nuse = \"pair\"\n"),
           "m.toml:6:1: [kernel.p] needs the key \"title\" (text: what it is called)");
}

TEST_CASE("A rule that the component itself checks is located at its key or table") {
  contains(model_failure("size = 3"), "m.toml:4:8: model.m.size = 3: must be even");
  contains(failure(toy::smallest, {{"model.m.size", "3"}}),
           "--set model.m.size=3: model.m.size = 3: must be even");
}

TEST_CASE("A component that fails for reasons of its own is named") {
  CHECK_THROWS_AS(parse(with_model_line("shape = \"square\"")), RunError);
  CHECK_THROWS_WITH(parse(with_model_line("shape = \"square\"")),
                    Catch::Contains("m.toml:2:1: making [model.m] failed: squares are broken"));
}

TEST_CASE("References are found by name, and unknown ones name the nearest") {
  const std::string two = toy::smallest +
                          "[kernel.other]\nuse = \"step\"\nsteps = 3\n"
                          "[compositor.c]\nuse = \"chain\"\n";
  CHECK(kernel_of(parse(two + "kernel = \"other\"\n")).params.steps == 3);
  contains(failure(two + "kernel = \"othr\"\n"),
           "m.toml:11:10: compositor.c.kernel = \"othr\": the manifest has no [kernel.othr] (did "
           "you mean \"other\"?)");
  contains(failure(two + "kernel = \"m\"\n"),
           "must name a kernel, but \"m\" is the model [model.m]");
  contains(failure(two + "kernel = 3\n"), "must be the name of a kernel (got an integer)");
}

TEST_CASE("A reference left out is only filled in when one candidate exists") {
  contains(failure(toy::smallest + "[kernel.b]\nuse = \"step\"\n"),
           "[compositor.chain] needs a kernel as \"kernel\": the manifest has several tables of "
           "this kind (kernel.b, "
           "kernel.k). Choose one with kernel = \"NAME\".");
  contains(failure("mixwell = 1\n[kernel.k]\nuse = \"step\"\n"),
           "[compositor.chain] needs a model as \"model\": the manifest has no model. Add a table "
           "[model.NAME] with `use` (known: flat)");
}

TEST_CASE("A kernel made of kernels does not fill itself in") {
  const Composition c = parse(toy::smallest +
                              "[kernel.p]\nuse = \"pair\"\ntitle = \"t\"\n"
                              "[compositor.c]\nuse = \"chain\"\nkernel = \"p\"\n");
  const auto& pair = dynamic_cast<const toy::Pair&>(*chain_of(c).params.kernel);
  CHECK(pair.params.first->name() == "k");
}

TEST_CASE("Cyclic references are refused with their path") {
  const std::string pair = "use = \"pair\"\ntitle = \"t\"\n";
  contains(failure("mixwell = 1\n[model.m]\nuse = \"flat\"\n[kernel.a]\n" + pair +
                   "first = \"b\"\n[kernel.b]\n" + pair +
                   "first = \"a\"\n[compositor.c]\n"
                   "use = \"chain\"\nkernel = \"a\"\n"),
           "references must not form a cycle: kernel.a -> kernel.b -> kernel.a");
  contains(
      failure("mixwell = 1\n[model.m]\nuse = \"flat\"\n[kernel.a]\n" + pair + "first = \"a\"\n"),
      "references must not form a cycle: kernel.a -> kernel.a");
}

TEST_CASE("A component that two others refer to is made once") {
  const Composition c = parse(toy::smallest +
                              "[kernel.p]\nuse = \"pair\"\ntitle = \"t\"\n"
                              "first = \"k\"\n[compositor.c]\nuse = \"chain\"\n"
                              "kernel = \"p\"\n");
  CHECK(c.effective_manifest.find("[kernel.k]") == c.effective_manifest.rfind("[kernel.k]"));
}

TEST_CASE("Two compositors are one too many") {
  contains(failure(toy::smallest + "[compositor.a]\nuse = \"chain\"\n[compositor.b]\n"
                                   "use = \"chain\"\n"),
           "m.toml:8:1: [compositor.b]: a manifest may have only one compositor, but "
           "it also has [compositor.a]. ");
}

TEST_CASE("Recorders of the manifest come beside the one that summaries read") {
  const Composition c = parse(toy::smallest + "[recorder.memory]\nuse = \"memory\"\n");
  REQUIRE(c.recorders.size() == 2);
  CHECK(c.recorders[0]->name() == "netcdf");
  CHECK(c.recorders[1]->name() == "memory");
  CHECK(parse(c.effective_manifest).effective_manifest == c.effective_manifest);
  contains(failure(toy::smallest + "[recorder.netcdf]\nuse = \"memory\"\n"),
           "this name is reserved");
}

TEST_CASE("Names of components are made of letters, digits, _ and -") {
  contains(failure("mixwell = 1\n[model.\"a b\"]\nuse = \"flat\"\n"),
           "the name \"a b\" must contain only letters");
}

TEST_CASE("Overrides replace values and are named in errors") {
  const Composition c = parse(toy::smallest, {{"kernel.k.steps", "5"},
                                              {"run.draws", "7"},
                                              {"model.m.shape", "round"},
                                              {"model.m.weights", "[1, 2, 3]"},
                                              {"model.m.predict.p.t", "1"}});
  CHECK(kernel_of(c).params.steps == 5);
  CHECK(c.run.draws == 7);
  CHECK(model_of(c).params.weights.size() == 3);
  CHECK(std::get<double>(model_of(c).params.predict.at("p").at("t")) == 1.0);
  contains(failure(toy::smallest, {{"kernel.k.steps", "0"}}),
           "--set kernel.k.steps=0: kernel.k.steps = 0: must be at least 1");
  contains(failure(toy::smallest, {{"kernel.k.stesp", "5"}}),
           "--set kernel.k.stesp=5: kernel.k.stesp: unknown key (did you mean \"steps\"?)");
  contains(failure(toy::smallest, {{"kernel.kk.steps", "5"}}), "the manifest has no [kernel.kk]");
  contains(failure(toy::smallest, {{"kernal.k.steps", "5"}}),
           "unknown kind \"kernal\" (did you mean \"kernel\"?)");
  contains(failure(toy::smallest, {{"steps", "5"}}), "must have the form KIND.NAME.KEY=VALUE");
  contains(failure(toy::smallest, {{"kernel.k.use.x", "5"}}),
           "`use` already has a value, so it cannot also be a table");
}

TEST_CASE("An override can add a component by naming its plugin first") {
  const Composition c = parse(toy::smallest, {{"kernel.new.use", "step"},
                                              {"kernel.new.steps", "2"},
                                              {"compositor.c.use", "chain"},
                                              {"compositor.c.kernel", "new"}});
  CHECK(kernel_of(c).params.steps == 2);
}

TEST_CASE("The last of several overrides of one key counts") {
  CHECK(parse(toy::smallest, {{"run.draws", "7"}, {"run.draws", "9"}}).run.draws == 9);
}

TEST_CASE("Run settings obey their rules") {
  const auto run_failure = [](const std::string& line) {
    return failure("mixwell = 1\n[run]\n" + line + "\n");
  };
  contains(run_failure("seed = -1"), "m.toml:3:8: run.seed = -1: must be at least 0");
  contains(run_failure("replicates = 0"), "must be at least 1");
  contains(run_failure("draws = 0"), "must be at least 1");
  contains(run_failure("warmup = -5"), "must be at least 0");
  contains(run_failure("thin = 0"), "must be at least 1");
  contains(run_failure("draws = 1e3"), "run.draws = 1000.0: must be an integer");
  contains(run_failure("block_width = 12"),
           "m.toml:3:15: run.block_width = 12: must be a multiple");
  contains(run_failure("block_width = 4"), "must be at least 8");
  contains(run_failure("allow = [\"wrong\"]"), "run.allow[0] = \"wrong\": must be one of biased");
  contains(run_failure("draws = 1000000000\nthin = 1000000"), "must be at most 1099511627776");
}

TEST_CASE("Every form of init is understood and kept in the effective manifest") {
  const auto init_of = [](const std::string& value) {
    const Composition c = parse("mixwell = 1\nrun.init = " + value + "\n" +
                                toy::smallest.substr(toy::smallest.find('\n')));
    const Composition again = parse(c.effective_manifest);
    CHECK(again.effective_manifest == c.effective_manifest);
    CHECK(again.run.init.how == c.run.init.how);
    CHECK(again.run.init.value == c.run.init.value);
    return c.run.init;
  };
  CHECK(init_of("\"model\"").how == Init::How::model);
  CHECK(init_of("\"exact\"").how == Init::How::exact);
  CHECK(init_of("\"prior\"").how == Init::How::prior);
  CHECK(init_of("{ uniform = 0.5 }").uniform == 0.5);
  CHECK(init_of("{ uniform = 3 }").how == Init::How::uniform);
  CHECK(init_of("{ value = [0, 1.5] }").value == std::vector<double>{0, 1.5});
  CHECK(init_of("{ value = [0] }").how == Init::How::value);
}

TEST_CASE("A wrong init is explained") {
  const auto init_failure = [](const std::string& value) {
    return failure("mixwell = 1\n[run]\ninit = " + value + "\n");
  };
  contains(init_failure("\"exakt\""), "m.toml:3:8: run.init = \"exakt\"");
  contains(init_failure("\"exakt\""), "(did you mean \"exact\"?)");
  contains(init_failure("3"), "must be \"model\", \"exact\", \"prior\"");
  contains(init_failure("{}"), "must be \"model\", \"exact\", \"prior\"");
  contains(init_failure("{ uniform = 1, value = [0] }"), "must be \"model\", \"exact\", \"prior\"");
  contains(init_failure("{ unifrom = 1 }"), "did you mean \"uniform\"?");
  contains(init_failure("{ uniform = 0 }"), "run.init.uniform = 0: must be above 0");
  contains(init_failure("{ value = [] }"), "run.init.value = []: must not be empty");
  contains(init_failure("{ file = \"nothing.csv\" }"), "no such file");
  contains(init_failure("{ file = [] }"), "run.init.file = []: must not be empty");
  contains(init_failure("{ file = [\"nothing.json\"] }"), "run.init.file[0]");
}

TEST_CASE("A file is found beside the manifest first, then in MIXWELL_DATA") {
  const Registry registry = toy::registry();
  const TemporaryFolder beside, data;
  const std::string manifest = beside.file("m.toml", with_model_line("data = \"sub/t.csv\""));
  const std::string in_data = data.file("sub/t.csv", "x\n1\n");
  setenv("MIXWELL_DATA", ("/nowhere:" + data.path()).c_str(), 1);

  const Composition far = load_manifest(manifest, registry);
  CHECK(model_of(far).params.data == in_data);
  contains(far.effective_manifest, "data = \"sub/t.csv\"");

  const std::string near_file = beside.file("sub/t.csv", "x\n2\n");
  const Composition near = load_manifest(manifest, registry);
  CHECK(model_of(near).params.data == near_file);
  contains(near.effective_manifest, "data = \"" + near_file + "\"");
  const Composition moved =
      parse_manifest(near.effective_manifest, data.path() + "/manifest.toml", registry);
  CHECK(moved.effective_manifest == near.effective_manifest);
  unsetenv("MIXWELL_DATA");
}

TEST_CASE("A missing file lists the places that were tried") {
  setenv("MIXWELL_DATA", "/data/one:/data/two", 1);
  const std::string message = model_failure("data = \"t.csv\"");
  unsetenv("MIXWELL_DATA");
  contains(message, "m.toml:4:8: model.m.data = \"t.csv\": there is no such file (tried ");
  contains(message, "/t.csv, /data/one/t.csv, /data/two/t.csv)");
  contains(message, "MIXWELL_DATA");
}

TEST_CASE("A manifest that cannot be read is bad input") {
  const Registry registry = toy::registry();
  CHECK_THROWS_AS(load_manifest("/nowhere/m.toml", registry), InputError);
  CHECK_THROWS_WITH(load_manifest("/nowhere/m.toml", registry),
                    Catch::Contains("/nowhere/m.toml: the manifest cannot be read"));
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(load_manifest(folder.path(), registry), Catch::Contains("it is a folder"));
}
