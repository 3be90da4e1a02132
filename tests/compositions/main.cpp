// Enumerates compositions from the registry, and puts the certificate of each to the test.
// SPDX-License-Identifier: Apache-2.0
#include "enumeration.hpp"
#include "report.hpp"
#include "row.hpp"
#include "sample.hpp"
#include "workers.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/registry.hpp>
#include <mixwell/random.hpp>

#include <CLI/CLI.hpp>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace compositions;

struct Arguments {
  EnumerationSettings enumeration{.folder = "build/compositions"};
  RowSettings rows{
      .folder = {},
      .verify = {.targets = {"own", "double-well", "banana"}, .budget = 1e6, .alpha = 1e-6},
      .second_budget = 8.0,
      .build = {}};
  double max_seconds = 60.0;
  std::size_t sample = 0;
  std::size_t at_least = 0;
  double minutes = 0.0;
  int jobs = 2;
  bool list = false;
  std::string only;
};

std::string bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Of the framework and every plugin: rows of another build are made again.
std::string build_of(const mixwell::Registry& registry) {
  std::set<std::string> libraries;
  for (const auto& entry : registry.entries()) libraries.insert(entry.library);
  Dl_info framework{};
  if (dladdr(reinterpret_cast<const void*>(&mixwell::verify), &framework) != 0) {
    libraries.insert(framework.dli_fname);
  }
  std::uint64_t hash = 0;
  for (const std::string& library : libraries) {
    hash = 31 * hash + mixwell::hash_role(bytes(library));
  }
  return fmt::format("{:016x}", hash);
}

/// Rows of rows.csv that were made with the same manifest, settings and build.
class Known {
 public:
  Known(const RowSettings& settings, const std::string& path)
      : settings_(settings), rows_(read_csv(path)) {}
  const Row* find(const Candidate& candidate) const {
    const auto found = rows_.find(candidate.id);
    const bool same = found != rows_.end() && found->second.key == key_of(candidate, settings_);
    return same ? &found->second : nullptr;
  }

 private:
  const RowSettings& settings_;
  std::map<std::string, Row> rows_;
};

void show_progress(std::size_t done, std::size_t of) {
  if (isatty(STDERR_FILENO) != 0)
    fmt::print(stderr, "\r{} of {}{}", done, of, done == of ? "\n" : "");
}

void make_rows(const std::vector<Candidate>& open, const mixwell::Registry& registry,
               const Arguments& arguments, const std::string& path) {
  Work work;
  work.count = open.size();
  work.jobs = arguments.jobs;
  work.minutes = arguments.minutes;
  work.cpu_seconds = arguments.max_seconds;
  work.line = [&](std::size_t k) { return csv_line(verified(open[k], registry, arguments.rows)); };
  work.line_of_dead = [&](std::size_t k, const std::string& how) {
    Row row = blank(open[k], arguments.rows);
    row.outcome = how.starts_with("stopped") ? "inconclusive" : "error";
    row.remark = how;
    row.seconds = arguments.max_seconds;
    return csv_line(row);
  };
  work.progress = [&](std::size_t done) { show_progress(done, open.size()); };
  run(work, path);
}

std::vector<Row> rows_of(const std::vector<Candidate>& candidates,
                         const mixwell::Registry& registry, const Arguments& arguments) {
  const std::string path = arguments.rows.folder + "/rows.csv";
  if (!std::filesystem::exists(path)) std::ofstream(path) << csv_head();
  std::vector<Candidate> open = candidates;
  const Known earlier(arguments.rows, path);
  std::erase_if(open, [&](const Candidate& c) { return earlier.find(c) != nullptr; });
  make_rows(open, registry, arguments, path);
  const Known all(arguments.rows, path);
  std::vector<Row> rows;
  for (const Candidate& candidate : candidates) {
    if (const Row* const row = all.find(candidate)) rows.push_back(*row);
  }
  return rows;
}

int check(const Enumeration& found, const Arguments& arguments) {
  for (const std::string& component : found.missing) {
    fmt::print(stderr, "compositions: no composition that type-checks has {}\n", component);
  }
  if (found.kept.size() < arguments.at_least) {
    fmt::print(stderr, "compositions: {} rows, wanted at least {}\n", found.kept.size(),
               arguments.at_least);
    return 1;
  }
  return found.missing.empty() ? 0 : 1;
}

int main_of(Arguments& arguments) {
  const auto registry = mixwell::Registry::load(mixwell::Registry::default_folders());
  arguments.rows.folder = arguments.enumeration.folder;
  arguments.rows.build = build_of(registry);
  check_values(registry);
  write_fixtures(arguments.enumeration.folder);
  const Enumeration found = enumerate(registry, arguments.enumeration);
  const int incomplete = check(found, arguments);
  std::vector<Candidate> candidates = found.kept;
  if (!arguments.only.empty()) {
    std::erase_if(candidates, [&](const Candidate& c) {
      return c.id.find(arguments.only) == std::string::npos;
    });
  }
  const std::size_t wanted = arguments.sample > 0 ? arguments.sample : candidates.size();
  candidates = sampled(candidates, wanted, arguments.enumeration.seed);
  if (arguments.list) {
    for (const Candidate& c : candidates) {
      fmt::print("{}  {}, rule {}  {}\n", c.id, c.certificate, c.rule, c.draft.settings);
    }
    fmt::print("{} rows\n", candidates.size());
    return incomplete;
  }
  const std::vector<Row> rows = rows_of(candidates, registry, arguments);
  const std::string text = summary(found, rows);
  std::ofstream(arguments.rows.folder + "/summary.md") << text;
  fmt::print("{}", text);
  const bool bad = count(rows, "disagree") + count(rows, "error") > 0;
  return bad ? 4 : incomplete;
}

void declare(CLI::App& program, Arguments& arguments) {
  program
      .add_option("--out", arguments.enumeration.folder,
                  "Folder of manifests, rows.csv and summary.md; rows that are there already "
                  "are kept if manifest, settings and build are the same")
      ->capture_default_str();
  program.add_option("--seed", arguments.enumeration.seed, "Of the enumeration and the sample")
      ->capture_default_str();
  program.add_option("--draws", arguments.enumeration.draws, "Manifests drawn at random")
      ->capture_default_str();
  program
      .add_option("--attempts", arguments.enumeration.attempts,
                  "Manifests drawn for each pair of choices that was not met")
      ->capture_default_str();
  program
      .add_option("--sample", arguments.sample,
                  "Only so many rows: every component, then all compositors and certificates")
      ->expected(0, 1)
      ->default_str("150");
  program.add_option("--only", arguments.only, "Only rows with this in their id");
  program.add_flag("--list", arguments.list, "Print the rows instead of testing them");
  program.add_option("--at-least", arguments.at_least, "Fail if the enumeration has fewer rows");
  program.add_option("--budget", arguments.rows.verify.budget, "Gradients of a row")
      ->capture_default_str();
  program
      .add_option("--second-budget", arguments.rows.second_budget,
                  "Times the budget, for rows that the first left open; 1: no second pass")
      ->capture_default_str();
  program
      .add_option("--alpha", arguments.rows.verify.alpha,
                  "Chance that a right composition is called biased, of each row")
      ->capture_default_str();
  program.add_option("--max-seconds", arguments.max_seconds, "Of the processor, for a row")
      ->capture_default_str();
  program.add_option("--target", arguments.rows.verify.targets, "As those of mixwell verify")
      ->capture_default_str();
  program.add_option("--minutes", arguments.minutes,
                     "Begin no row after so long; the next call goes on from there");
  program.add_option("--jobs", arguments.jobs, "Processes")->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App program("Every composition that the registry allows, put to the test");
  declare(program, arguments);
  CLI11_PARSE(program, argc, argv);
  try {
    return main_of(arguments);
  } catch (const std::exception& fault) {
    fmt::print(stderr, "compositions: {}\n", fault.what());
    return 2;
  }
}
