// The commands of the program, as typed.
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <mixwell/lab/draws.hpp>
#include <mixwell/version.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>
#include <sstream>

using namespace end_to_end;
using Json = nlohmann::json;

namespace {

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("Every command explains itself with an example and the exit codes") {
  const Workplace place;
  for (const char* command :
       {"", "run", "check", "graph", "plugins", "plugins show", "schema", "summary"}) {
    const Outcome outcome = place.mixwell(std::string(command) + " --help");
    CHECK(outcome.code == 0);
    contains(outcome.out, "Example:\n  mixwell " + std::string(command));
    contains(outcome.out, "Exit codes: 0 success");
  }
}

TEST_CASE("Help fits into a hundred columns and reads as sentences") {
  const Workplace place;
  for (const char* command : {"", "run", "check", "verify", "graph", "study", "summary", "report",
                              "generate", "plugins", "plugins show", "schema", "new"}) {
    INFO(command);
    const Outcome outcome = place.mixwell(std::string(command) + " --help");
    CHECK(longest_line(outcome.out) <= 100);
    for (const char* raw : {":FLOAT", ":INT", ":POSITIVE", "Excludes:", "Needs:"})
      CHECK(outcome.out.find(raw) == std::string::npos);
  }
  const std::string verify = place.mixwell("verify --help").out;
  contains(verify, "--alpha FLOAT ");
  contains(verify, "Default: 0.001.");
}

TEST_CASE("Options that do not go together say so, each of the other") {
  const Workplace place;
  std::string help = place.mixwell("study --help").out;
  help = std::regex_replace(help, std::regex("\\s+"), " ");
  contains(help, "running any cell. Cannot be combined with --table, --why, --strict, --slurm.");
  contains(help, "could not be tuned. Cannot be combined with --dry-run, --why, --prepare.");
  const Outcome both = place.mixwell("study s.toml --dry-run --strict");
  CHECK(both.code == 2);
  contains(both.err, "--dry-run excludes --strict");
}

TEST_CASE("An option or a command that is not known is answered with the nearest one") {
  const Workplace place;
  contains(place.mixwell("run m.toml --chekced").err,
           "mixwell run has no option \"--chekced\" (did you mean \"--checked\"?)");
  contains(place.mixwell("run --thread=2 m.toml").err, "(did you mean \"--threads\"?)");
  contains(place.mixwell("rum m.toml").err,
           "mixwell has no command \"rum\" (did you mean \"run\"?)");
  contains(place.mixwell("plugins show kernel/nuts --jsn").err,
           "mixwell plugins show has no option \"--jsn\" (did you mean \"--json\"?)");
  contains(place.mixwell("check a.toml b.toml").err,
           "mixwell check accepts no further arguments (got \"b.toml\")");
}

TEST_CASE("A value of an option that is out of range is told with the rule") {
  const Workplace place;
  contains(place.mixwell("run m.toml --threads 0").err, "--threads: must be above 0 (got 0)");
  contains(place.mixwell("verify m.toml --alpha 0.7").err,
           "--alpha: must be above 0 and at most 0.5 (got 0.7)");
  contains(place.mixwell("graph m.toml --format dto").err,
           "--format: \"dto\" is not a valid value (did you mean \"dot\"?)");
}

TEST_CASE("The version is printed") {
  const Workplace place;
  CHECK(place.mixwell("--version").out == "mixwell " MIXWELL_VERSION "\n");
}

TEST_CASE("A command line that cannot be understood is bad input") {
  const Workplace place;
  for (const char* command : {"", "rum", "run", "run m.toml --fast", "graph m.toml --format png",
                              "run m.toml --threads 0", "run m.toml --threads -3"}) {
    INFO(command);
    const Outcome outcome = place.mixwell(command);
    CHECK(outcome.code == 2);
    contains(outcome.err, "mixwell: error: ");
    contains(outcome.err, "--help");
  }
}

TEST_CASE("A run ends with table, sampler, certificate and the way to the draws") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome outcome = place.mixwell("run m.toml --set run.draws=2000");
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  for (const char* part : {"variable",
                           "mean",
                           "sd",
                           "q5",
                           "q50",
                           "q95",
                           "ess_bulk",
                           "ess_tail",
                           "rhat",
                           "mcse_mean",
                           "x[2]",
                           "acceptance",
                           "divergences 0",
                           "per gradient",
                           "per second",
                           "exact after warmup: each update leaves the target distribution "
                           "unchanged (Metropolis-corrected)",
                           "Results are in out/m",
                           "xarray.open_dataset(\"out/m/draws.nc\", group=\"posterior\")",
                           "arviz.from_netcdf",
                           "ncvar_get(draws, \"posterior/x\"",
                           "rhat(x[1, , ])"}) {
    contains(outcome.out, part);
  }
  CHECK(outcome.out.find("Warning") == std::string::npos);
  for (const char* file :
       {"manifest.toml", "graph.dot", "certificate.json", "draws.nc", "summary.json", "run.json"}) {
    CHECK(std::filesystem::exists(place.path(std::string("out/m/") + file)));
  }
}

TEST_CASE("A terminal that is dumb gets no escape sequences") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const auto has_escapes = [&](const std::string& terminal) {
    const std::string run = std::string("\"") + MIXWELL_PROGRAM + "\" run m.toml --force";
    REQUIRE(place.shell("TERM=" + terminal + " script -qec '" + run + "' seen.txt").code == 0);
    return read(place.path("seen.txt")).find('\033') != std::string::npos;
  };
  CHECK(has_escapes("xterm"));
  CHECK_FALSE(has_escapes("dumb"));
}

TEST_CASE("Too few draws are warned of, with a cure") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome outcome =
      place.mixwell("run m.toml --set run.draws=40 --set kernel.hmc.step_size=0.05");
  CHECK(outcome.code == 0);
  contains(outcome.out, "Warning: ");
  contains(outcome.out, "effective sample size of");
  contains(outcome.out, "Multiply run.draws by about");
}

TEST_CASE("The effective manifest gives the same bits again, on any number of threads") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest("replicates = 20\n"));
  REQUIRE(place.mixwell("run m.toml --quiet --threads 1 --out a").code == 0);
  REQUIRE(place.mixwell("run a/manifest.toml --quiet --threads 2 --out b").code == 0);
  REQUIRE(place.mixwell("run m.toml --quiet --out c --set run.seed=2").code == 0);
  CHECK(draws_hash(place, "a") == draws_hash(place, "b"));
  CHECK(draws_hash(place, "a") != draws_hash(place, "c"));
  CHECK(read(place.path("a/manifest.toml")) == read(place.path("b/manifest.toml")));
}

TEST_CASE("Quiet prints nothing, JSON prints lines that machines read") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome quiet = place.mixwell("run m.toml --quiet");
  CHECK(quiet.code == 0);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());

  const Outcome outcome = place.mixwell("run m.toml --json --force");
  CHECK(outcome.code == 0);
  const std::vector<Json> lines = json_lines(outcome.out);
  REQUIRE_FALSE(lines.empty());
  const Json& result = lines.back().at("result");
  CHECK(result["outcome"] == "complete");
  CHECK(result["class"] == "exact");
  CHECK(result["folder"] == "out/m");
  CHECK(result["summary"]["variables"].contains("x[0]"));
  CHECK(result["certificate"]["class"] == "exact");
  CHECK(result["run"]["draws_sha256"].get<std::string>().size() == 64);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) CHECK(lines[i].contains("progress"));
}

TEST_CASE("A long table of indexed variables is cut unless all of it is asked for") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome outcome = place.mixwell("run m.toml --set model.g.dimension=60");
  contains(outcome.out, "x[39]");
  CHECK(outcome.out.find("x[40]") == std::string::npos);
  contains(outcome.out, "... 20 more rows; to show all: mixwell summary out/m --all");
  contains(place.mixwell("summary out/m --all").out, "x[59]");
}

TEST_CASE("A summary is computed from the draws, of a folder or a file") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run m.toml --quiet").code == 0);
  const Json stored = Json::parse(read(place.path("out/m/summary.json")));
  const Json folder = Json::parse(place.mixwell("summary out/m --json").out);
  const Json file = Json::parse(place.mixwell("summary out/m/draws.nc --json").out);
  CHECK(folder["variables"] == stored["variables"]);
  CHECK(file["variables"] == stored["variables"]);
  contains(place.mixwell("summary out/m").out, "x[0]");
  CHECK(place.mixwell("summary nowhere").code == 2);
}

TEST_CASE("Draws that were allowed in spite of their certificate stay marked") {
  const Workplace place;
  const std::string biased = std::string(MIXWELL_SOURCE_DIR) +
                             "/examples/certificates/ensemble-own-slot.toml --quiet "
                             "--set run.draws=20 --set run.warmup=5";
  CHECK(place.mixwell("run " + biased + " --out no --set 'run.allow=[]'").code == 3);
  REQUIRE(place.mixwell("run " + biased + " --out wrong").code == 0);
  CHECK(Json::parse(read(place.path("wrong/summary.json")))["certificate"] == "biased");
  CHECK(Json::parse(place.mixwell("summary wrong --json").out)["certificate"] == "biased");
  contains(place.mixwell("summary wrong").out, "certificate biased");
}

TEST_CASE("check prints the class and what it rests on") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome text = place.mixwell("check m.toml --gradient");
  CHECK(text.code == 0);
  contains(text.out, "exact");
  contains(text.out,
           "gradient: agrees with central differences at 5 points. The worst component is x[");
  const Json json = Json::parse(place.mixwell("check m.toml --json --gradient").out);
  for (const char* key :
       {"class", "accuracy", "order", "density", "time", "evidence", "after_warmup", "frozen_class",
        "rule", "nodes", "path", "reference", "assumes"}) {
    CHECK(json.contains(key));
  }
  CHECK(json["class"] == "exact");
  CHECK(json["gradient"]["agrees"] == true);
  CHECK_FALSE(std::filesystem::exists(place.path("out")));
}

TEST_CASE("graph prints Graphviz text of either phase, or a picture") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome dot = place.mixwell("graph m.toml");
  CHECK(dot.code == 0);
  CHECK(dot.out.starts_with("digraph"));
  contains(dot.out, "hmc/");
  contains(place.mixwell("graph m.toml --phase warmup").out, "warmup");

  const Outcome without = place.mixwell("graph m.toml --format svg", "PATH=/nowhere");
  CHECK(without.code == 1);
  contains(without.err, "Install Graphviz");
  if (place.shell("command -v dot").code == 0) {
    const Outcome picture = place.mixwell("graph m.toml --format svg");
    CHECK(picture.code == 0);
    contains(picture.out, "<svg");
  }
}

TEST_CASE("plugins lists components, of all kinds or of one") {
  const Workplace place;
  const Outcome all = place.mixwell("plugins");
  CHECK(all.code == 0);
  for (const char* id : {"gaussian", "hamiltonian", "leapfrog", "identity", "exact", "chain",
                         "netcdf", "logistic-regression", "quartic", "double-well"}) {
    contains(all.out, id);
  }
  CHECK(longest_line(all.out) <= 100);
  CHECK(all.out.find(".so") == std::string::npos);
  contains(place.mixwell("plugins model --paths").out, "model-quartic.so");
  const Json kernels = Json::parse(place.mixwell("plugins kernel --json").out);
  for (const Json& plugin : kernels["plugins"]) CHECK(plugin["kind"] == "kernel");
  CHECK(kernels["broken"].empty());
  const Outcome unknown = place.mixwell("plugins kernal");
  CHECK(unknown.code == 2);
  contains(unknown.err, "did you mean \"kernel\"?");
}

TEST_CASE("plugins show prints the whole declaration of every component") {
  const Workplace place;
  const Outcome text = place.mixwell("plugins show kernel/hamiltonian");
  CHECK(text.code == 0);
  for (const char* part :
       {"\nParameters:\n",
        "\n  step_size: number in (0, inf) [time], default: 0.1\n      step size eps",
        "only with metropolis = true", "\nSources:\n", "\nLibrary: "}) {
    contains(text.out, part);
  }
  CHECK(longest_line(text.out.substr(0, text.out.find("\nLibrary: "))) <= 100);
  const Json all = Json::parse(place.mixwell("plugins --json").out);
  for (const Json& plugin : all["plugins"]) {
    const std::string name =
        plugin["kind"].get<std::string>() + "/" + plugin["id"].get<std::string>();
    const Outcome shown = place.mixwell("plugins show " + name + " --json");
    CHECK(shown.code == 0);
    const Json json = Json::parse(shown.out);
    CHECK(json["id"] == plugin["id"]);
    CHECK_FALSE(json["summary"].get<std::string>().empty());
    for (const Json& parameter : json["parameters"]) {
      CHECK_FALSE(parameter["help"].get<std::string>().empty());
    }
  }
  const Outcome unknown = place.mixwell("plugins show kernel/hamiltonain");
  CHECK(unknown.code == 2);
  contains(unknown.err, "did you mean \"hamiltonian\"?");
  CHECK(place.mixwell("plugins show hamiltonian").code == 2);
}

TEST_CASE("schema prints a JSON schema that knows every plugin") {
  const Workplace place;
  const Outcome outcome = place.mixwell("schema");
  CHECK(outcome.code == 0);
  const Json schema = Json::parse(outcome.out);
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  contains(schema["properties"]["kernel"].dump(), "hamiltonian");
}

TEST_CASE("After Ctrl-C the draws on disk are a bit-exact prefix of the uninterrupted run's",
          "[slow]") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome stopped = place.mixwell(
      "run m.toml --quiet --out stopped --set run.draws=100000 --set run.thin=1000 & "
      "pid=$!; for i in $(seq 300); do ls stopped/resume 2>/dev/null | grep -q draws && "
      "break; sleep 0.1; done; sleep 0.5; kill -INT $pid; wait $pid");
  CHECK(stopped.code == 1);
  contains(stopped.err, "interrupted. The draws recorded so far are in stopped/draws.nc");
  CHECK(Json::parse(read(place.path("stopped/run.json")))["outcome"] == "interrupted");

  const mixwell::DrawsFile part(place.path("stopped"));
  REQUIRE(part.draws() > 0);
  const std::string draws = std::to_string(part.draws());
  REQUIRE(
      place.mixwell("run m.toml --quiet --out whole --set run.thin=1000 --set run.draws=" + draws)
          .code == 0);
  CHECK(mixwell::DrawsFile(place.path("whole")).sha256() == part.sha256());
}

TEST_CASE("With --quiet --json a command prints one document and nothing else") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome run = place.mixwell("run m.toml --quiet --json");
  CHECK(run.code == 0);
  CHECK(run.err.empty());
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') == 1);
  CHECK(nlohmann::json::parse(run.out).at("result").at("outcome") == "complete");
  place.write("s.toml", "mixwell = 1\n[study]\nbase = \"m.toml\"\nrepeats = 2\n");
  const Outcome study = place.mixwell("study s.toml --quiet --json --jobs 2");
  CHECK(study.code == 0);
  CHECK(std::count(study.out.begin(), study.out.end(), '\n') == 1);
  CHECK(nlohmann::json::parse(study.out).at("result").at("done") == 2);
  const Outcome bad = place.mixwell("run m.toml --quiet --json --out other --set run.draws=0");
  CHECK(bad.code == 2);
  CHECK(nlohmann::json::parse(bad.out).at("code") == 2);
}

TEST_CASE("A run that is to end after so long does not wait for all its draws") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  const Outcome run = place.mixwell(
      "run m.toml --quiet --json --set run.draws=1000000000000 --set run.stop_seconds=0.3");
  CHECK(run.code == 0);
  CHECK(nlohmann::json::parse(run.out).at("result").at("ended_by") == "seconds");
}

TEST_CASE("Every command fails where what it prints cannot be written") {
  const Workplace place;
  const std::string source = MIXWELL_SOURCE_DIR;
  place.write("m.toml", gaussian_manifest());
  place.write("s.toml", "mixwell = 1\n[study]\nbase = \"m.toml\"\nrepeats = 2\n");
  REQUIRE(place.mixwell("run m.toml --quiet").code == 0);
  REQUIRE(place.mixwell("study s.toml --quiet").code == 0);
  std::vector<std::string> commands = {"--help", "--version"};
  const Outcome help = place.mixwell("--help");
  std::istringstream lines(help.out.substr(help.out.find("ubcommands:")));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (!name.empty()) commands.push_back(name + " --help");
  }
  CHECK(commands.size() >= 15);  // help lists 13 commands or more
  for (const char* const command : {"run m.toml --force",
                                    "run m.toml --force --json",
                                    "run m.toml --force --json --quiet",
                                    "check m.toml",
                                    "check m.toml --json",
                                    "graph m.toml",
                                    "plugins",
                                    "plugins --json",
                                    "plugins show kernel/hamiltonian",
                                    "plugins show kernel/hamiltonian --json",
                                    "schema",
                                    "schema --study",
                                    "summary out/m",
                                    "summary out/m --json",
                                    "summary out/m --all",
                                    "report out/m",
                                    "report out/m --json",
                                    "report out/s",
                                    "completion bash",
                                    "completion zsh",
                                    "study s.toml",
                                    "study s.toml --json",
                                    "study s.toml --json --quiet",
                                    "study s.toml --table",
                                    "study s.toml --table --csv",
                                    "study s.toml --table --json",
                                    "study s.toml --dry-run",
                                    "study s.toml --dry-run --json",
                                    "study s.toml --prepare",
                                    "study s.toml --follow",
                                    "study s.toml --why base/base/1",
                                    "new model funnel",
                                    "verify m.toml --target own --budget 1e4"})
    commands.emplace_back(command);
  for (const std::string& command : commands) {
    INFO(command);
    const Outcome outcome = place.mixwell(command + " >/dev/full");
    CHECK(outcome.code == 1);
    contains(outcome.err, "mixwell: error: standard output could not be written: ");
    CHECK(outcome.err.find("terminate") == std::string::npos);
  }
}

TEST_CASE("What is printed where standard output is closed goes into no file") {
  const Workplace place;
  place.write("m.toml", gaussian_manifest());
  REQUIRE(place.mixwell("run m.toml --quiet --out whole").code == 0);
  const Outcome outcome = place.mixwell("run m.toml --json --out closed >&-");
  CHECK(outcome.code == 1);
  contains(outcome.err, "standard output could not be written");
  CHECK(draws_hash(place, "closed") == draws_hash(place, "whole"));
  CHECK(place.mixwell("summary closed --json").code == 0);
  CHECK(place.mixwell("run m.toml --quiet --out quiet >&- 2>&- <&-").code == 0);
}

TEST_CASE("An error is told by the exit code where nothing else can be written") {
  const Workplace place;
  CHECK(place.mixwell("run nowhere.toml 2>/dev/full").code == 2);
  CHECK(place.mixwell("run nowhere.toml --json >/dev/full 2>/dev/full").code == 2);
  place.write("m.toml", gaussian_manifest());
  CHECK(place.mixwell("run m.toml 2>/dev/full").code == 0);
}

TEST_CASE("A terminal that cannot rewrite a line gets no line to rewrite") {
  const Workplace place;
  if (place.shell("command -v script").code != 0) return;
  place.write("m.toml", gaussian_manifest());
  const std::string program = std::string("'\"") + MIXWELL_PROGRAM + "\" run m.toml --force'";
  const Outcome able = place.shell("TERM=xterm script -qec " + program + " /dev/null </dev/null");
  contains(able.out, "\033[K");
  const Outcome dumb = place.shell("TERM=dumb script -qec " + program + " /dev/null </dev/null");
  CHECK(dumb.out.find("\033[K") == std::string::npos);
  contains(dumb.out, "Results are in out/m");
}
