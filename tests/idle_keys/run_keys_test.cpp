// Every key of [run] changes something, or is refused where it changes nothing.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "temporary_folder.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/run.hpp>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace {

/// A value of each key that is another than its default, and a number of draws, say.
const std::map<std::string, std::string>& other_values() {
  static const std::map<std::string, std::string> all = {
      {"seed", "2"},
      {"replicates", "3"},
      {"warmup", "10"},
      {"draws", "9"},
      {"thin", "2"},
      {"record_warmup", "true"},
      {"predictive", "\"none\""},
      {"prior", "true"},
      {"ranks", "\"data\""},
      {"stop_gradients", "5.0"},
      {"stop_seconds", "1e-9"},
      {"stop_min_ess", "0.001"},
      {"stop_mcse", "1e9"},
      {"check_every", "7"},
      {"init", "{ value = [0.3] }"},
  };
  return all;
}

/// Keys that may change nothing in a run, and why.
const std::map<std::string, std::string>& allowed() {
  static const std::map<std::string, std::string> all = {
      {"allow", "It permits what would be refused."},
      {"block_width", "It may change the last bits only."},
      {"summary_rows",
       "It matters in a table of more than 20000 elements, and its names are "
       "checked in every one."},
      {"checkpoint_seconds", "It matters where a run is interrupted."},
  };
  return all;
}

/// Draws, what they cost, how the run ended, how large draws.nc is, and what was remarked;
/// "refused: ..." for a key that is refused.
std::string outcome(const std::string& keys) {
  const std::string manifest =
      "[run]\n" + keys +
      "[model.m]\nuse = \"probit-regression\"\ncases = 200\ndimension = 1\n[kernel.k]\nuse = "
      "\"random-walk-metropolis\"\nstep_size = 0.1\n";
  try {
    const mixwell::testing::TemporaryFolder folder;
    mixwell::RunOptions options;
    options.folder = folder.path() + "/out";
    options.threads = 1;
    const mixwell::RunResult result = mixwell::run(composing::compose(manifest), options);
    return fmt::format("{} {} {} {}", result.record.draws_sha256, to_string(result.record.ended_by),
                       std::filesystem::file_size(options.folder + "/draws.nc"),
                       fmt::join(result.record.remarks, " "));
  } catch (const mixwell::Error& refusal) {
    return std::string("refused: ") + refusal.what();
  }
}

/// The lines KEY = VALUE of [run] in an effective manifest, KEY only.
std::vector<std::string> keys_of_run() {
  std::istringstream text(
      composing::compose("[model.m]\nuse = \"quartic\"\ndimension = 1\n").effective_manifest);
  std::vector<std::string> keys;
  bool is_run = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('[')) is_run = line == "[run]";
    const std::size_t end = line.find(" = ");
    if (is_run && end != std::string::npos)
      keys.push_back(line.substr(line[0] == '#' ? 1 : 0, end));
  }
  return keys;
}

}  // namespace

TEST_CASE("no key of [run] is idle without a word") {
  const std::string base = "warmup = 20\ndraws = 1200\n";  // rules to stop are looked at in time
  const std::string usual = outcome(base);
  REQUIRE_FALSE(usual.starts_with("refused"));
  for (const auto& [key, value] : other_values()) {
    const std::string rest = key == "warmup"  ? "draws = 1200\n"
                             : key == "draws" ? "warmup = 20\n"
                                              : base;
    INFO(key << " = " << value << ": " << outcome(rest + key + " = " + value + "\n"));
    CHECK(outcome(rest + key + " = " + value + "\n") != usual);
  }
}

TEST_CASE("each key of [run] is tried, or may be idle for a reason") {
  const std::vector<std::string> keys = keys_of_run();
  CHECK(keys.size() > 10);
  for (const std::string& key : keys) {
    INFO(key);
    CHECK(other_values().contains(key) != allowed().contains(key));
  }
}

TEST_CASE("a group of cases that the model does not have is refused by its name") {
  const std::string model = "[model.m]\nuse = \"quartic\"\ndimension = 1\n";
  for (const std::string group : {"log_likelihood", "posterior_predictive"}) {
    CHECK_THAT(
        composing::refusal("[run]\npredictive = \"" + group + "\"\n" + model),
        Catch::Contains(
            "run.predictive = \"" + group +
            "\": this key has no effect, because it names a group that [model.m] does not offer"));
    CHECK(composing::refusal("[run]\nprior = true\npredictive = \"" + group +
                             "\"\n[model.m]\nuse = \"probit-regression\"\ncases = 9\ndimension = "
                             "1\n") == "accepted");
  }
  CHECK(composing::refusal("[run]\npredictive = \"all\"\n" + model) == "accepted");
}
