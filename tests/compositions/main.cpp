// Puts certificates to the test: of compositions that are enumerated, or made at random.
// SPDX-License-Identifier: Apache-2.0
#include "enumeration.hpp"
#include "guests.hpp"
#include "random_cases.hpp"
#include "report.hpp"
#include "sample.hpp"
#include "search.hpp"

#include <mixwell/base/random.hpp>
#include <mixwell/lab/registry.hpp>

#include <CLI/CLI.hpp>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace compositions;

constexpr int with_findings = 4;

struct Arguments {
  SearchSettings search;
  std::uint64_t seed = 1;
  double alpha = 1e-6;
  std::size_t at_least = 0;
  bool list = false;
  bool draw_all = false;
  // Of the enumeration.
  EnumerationSettings enumeration;
  std::size_t sample = 0;
  std::string only;
  // Of random cases.
  RandomSettings random;
  std::size_t cases = 1'000'000;
  std::size_t show = 0;
};

/// Of this program, the framework, every plugin and all settings that decide what a row says.
std::string key_of(const Arguments& arguments, const mixwell::Registry& registry) {
  std::set<std::string> libraries{"/proc/self/exe"};
  for (const auto& entry : registry.entries()) libraries.insert(entry.library);
  Dl_info framework{};
  if (dladdr(reinterpret_cast<const void*>(&mixwell::verify), &framework) != 0)
    libraries.insert(framework.dli_fname);
  const JudgeSettings& judge = arguments.search.judge;
  std::string all =
      fmt::format("{} {} {} {} {} {} {}", judge.verify.budget, judge.second_budget, arguments.alpha,
                  arguments.draw_all, fmt::join(judge.verify.targets, " "), arguments.random.from,
                  static_cast<int>(arguments.random.lie));
  for (const std::string& library : libraries) {
    std::ifstream in(library, std::ios::binary);
    all.append(std::istreambuf_iterator<char>(in), {});
  }
  return fmt::format("{:016x}", mixwell::hash_role(all));
}

/// Judges all cases and tells what was found; true: something was.
bool is_found(const Source& source, const mixwell::Registry& registry, const Arguments& arguments,
              const Enumeration* enumeration) {
  const SearchSettings& search = arguments.search;
  const auto rows = rows_of(source, registry, search);
  std::vector<Row> all;
  for (const auto& [k, row] : rows) all.push_back(row);
  const std::string text = summary(all) + (enumeration ? summary(*enumeration) : "");
  std::ofstream(search.judge.folder + "/summary.md") << text;
  fmt::print("{}", text);
  std::fflush(stdout);
  return tell_findings(rows, source, registry, search) > 0;
}

/// Whether the enumeration has all that there is.
bool is_complete(const Enumeration& found, std::size_t at_least) {
  for (const std::string& component : found.missing)
    fmt::print(stderr, "compositions: no composition that type-checks has {}\n", component);
  const bool enough = found.kept.size() >= at_least;
  if (!enough)
    fmt::print(stderr, "compositions: {} rows, wanted at least {}\n", found.kept.size(), at_least);
  return enough && found.missing.empty();
}

std::vector<Candidate> wanted_among(const Enumeration& found, const Arguments& arguments) {
  std::vector<Candidate> wanted = found.kept;
  std::erase_if(wanted,
                [&](const Candidate& c) { return c.id.find(arguments.only) == std::string::npos; });
  const std::size_t count = arguments.sample > 0 ? arguments.sample : wanted.size();
  return sampled(wanted, count, arguments.seed);
}

int enumerate_all(Arguments& arguments, const mixwell::Registry& registry) {
  check_values(registry);
  const std::string& folder = arguments.search.judge.folder;
  arguments.enumeration.folder = folder;
  arguments.enumeration.seed = arguments.seed;
  const Enumeration found = enumerate(registry, arguments.enumeration);
  const int incomplete = is_complete(found, arguments.at_least) ? 0 : 1;
  const std::vector<Candidate> rows = wanted_among(found, arguments);
  for (const Candidate& c : rows) {
    if (arguments.list)
      fmt::print("{}  {}, rule {}  {}\n", c.id, c.certificate, c.rule, c.draft.settings);
    else
      std::ofstream(folder + "/" + c.id + ".toml") << c.draft.text;
  }
  if (arguments.list) {
    fmt::print("{} rows\n", rows.size());
    return incomplete;
  }
  const std::set<std::size_t> drawn = drawn_among(rows);
  const auto blank = [&](std::size_t k) {
    const Candidate& c = rows[k];
    return Row{.id = c.id,
               .compositor = c.draft.choices.front().id,
               .certificate = c.certificate,
               .rule = c.rule,
               .settings = c.draft.settings};
  };
  const auto at = [&](std::size_t k) {
    const Draft& draft = rows[k].draft;
    const bool is_drawn = arguments.draw_all || drawn.contains(k);
    return Case{rows[k].id, draft.text, arguments.alpha, is_drawn, draft.settings};
  };
  const bool finds = is_found({rows.size(), blank, at}, registry, arguments, &found);
  return finds ? with_findings : incomplete;
}

/// How many cases of each field claim something; draws nothing.
int list_fields(const RandomCases& cases, const Arguments& arguments) {
  std::map<std::string, std::size_t> made;
  std::map<std::string, std::size_t> claim;
  for (std::size_t n = 1; n <= arguments.cases; ++n) {
    const RandomCase one = cases.at(n);
    ++made[one.field];
    if (one.claims) ++claim[one.field];
  }
  bool enough = true;
  for (const std::string& field : cases.fields()) {
    fmt::print("{:7} {}, {} of them claim something\n", made[field], field, claim[field]);
    enough = enough && claim[field] >= arguments.at_least;
  }
  return enough ? 0 : 1;
}

/// Case n may spend 6 alpha / (pi n)^2, over all cases together alpha. Of those that worlds
/// find invariant one in seven is drawn, and one in 31 of wirings, which are all made of the same
/// few statements; all of them where kernels lie, which worlds cannot see.
Case random_case(std::size_t n, const std::string& id, const RandomCases& cases,
                 const Arguments& arguments) {
  const RandomCase one = cases.at(n);
  const double k = std::numbers::pi * static_cast<double>(n);
  const Lie lie = arguments.random.lie;
  const bool lies = lie == Lie::ratio || lie == Lie::momentum;
  const bool is_drawn = arguments.draw_all || lies || n % (one.is_wired ? 31 : 7) == 1;
  return {id, one.manifest, 6.0 * arguments.alpha / (k * k), is_drawn, one.field, one.is_wired};
}

int search_at_random(Arguments& arguments, const mixwell::Registry& registry) {
  JudgeSettings& judge = arguments.search.judge;
  arguments.random.folder = judge.folder;
  arguments.random.seed = arguments.seed;
  judge.asks_claims_only = true;
  judge.claims_all = arguments.random.lie == Lie::verdict;
  arguments.search.file = fmt::format("{}.tsv", arguments.seed);
  const RandomCases cases(arguments.random, registry);
  if (arguments.list) return list_fields(cases, arguments);
  const auto id = [&](std::size_t k) { return fmt::format("{}-{}", arguments.seed, k + 1); };
  const auto blank = [&](std::size_t k) { return Row{.id = id(k)}; };
  const auto at = [&](std::size_t k) { return random_case(k + 1, id(k), cases, arguments); };
  if (arguments.show == 0) {
    const bool finds = is_found({arguments.cases, blank, at}, registry, arguments, nullptr);
    return finds ? with_findings : 0;
  }
  const Case one = at(arguments.show - 1);
  fmt::print("{}\n# {}# {}", one.manifest, tsv_head(), tsv_line(judged(one, registry, judge)));
  return 0;
}

/// An option that shows its default.
template <class Value>
CLI::Option* add(CLI::App& program, const char* name, Value& value, const char* help) {
  return program.add_option(name, value, help)->capture_default_str();
}

/// What both strategies take.
void declare(CLI::App& program, Arguments& a) {
  SearchSettings& search = a.search;
  add(program, "--out", search.judge.folder,
      "Folder of rows, manifests and summary.md; rows that are there already are kept while build "
      "and settings are the same")
      ->required();
  add(program, "--seed", a.seed, "Of all cases; the same seed, the same cases");
  add(program, "--alpha", a.alpha,
      "Chance that draws call a right verdict wrong: of each row, or of all random cases");
  add(program, "--budget", search.judge.verify.budget, "Gradients of a run of verify");
  add(program, "--second-budget", search.judge.second_budget,
      "Times the budget, where the first run left it open; 1: no second run");
  add(program, "--target", search.judge.verify.targets, "As those of mixwell verify");
  add(program, "--shrink", search.shrink, "Shrink so many findings");
  add(program, "--seconds", search.seconds, "Begin no case after so long; 0: no limit");
  add(program, "--jobs", search.jobs, "Processes");
  add(program, "--max-seconds,--case-seconds", search.case_seconds, "Of the processor, for a case");
  program.add_flag("--draw-all", a.draw_all,
                   "Draw all that worlds find invariant, not only a sample");
  program.add_flag("--list", a.list,
                   "Judge nothing: print the rows, or count random cases by what they must have");
  program.add_option("--at-least", a.at_least,
                     "Fail if the enumeration has fewer rows, or a field of --list fewer claims");
}

void declare_enumeration(CLI::App& program, Arguments& a) {
  SearchSettings& search = a.search;
  search.judge.verify.targets = {"own", "double-well", "banana"};
  search.judge.verify.budget = 1e6;
  search.file = "rows.tsv";
  declare(program, a);
  program.add_option_function<double>(
      "--minutes", [&](double minutes) { search.seconds = 60.0 * minutes; }, "As --seconds");
  add(program, "--draws", a.enumeration.draws, "Manifests drawn at random");
  add(program, "--attempts", a.enumeration.attempts,
      "Manifests drawn for each pair of choices that was not met");
  program
      .add_option("--sample", a.sample,
                  "Only so many rows: every component, then all compositors and certificates")
      ->expected(0, 1)
      ->default_str("150");
  program.add_option("--only", a.only, "Only rows with this in their id");
}

void declare_random(CLI::App& program, Arguments& a) {
  a.search.judge.verify.targets = {"own"};
  a.search.judge.verify.budget = 3e5;
  a.search.seconds = 120.0;
  a.search.case_seconds = 30.0;
  a.alpha = 1e-3;
  declare(program, a);
  add(program, "--cases", a.cases, "At most so many");
  add(program, "--from", a.random.from,
      "registry: components and keys drawn from all that are registered; wirings: programs of the "
      "kernel wired-steps; both, in turn")
      ->check(CLI::IsMember({"both", "registry", "wirings"}));
  program
      .add_option("--lie", a.random.lie,
                  "What must be found. ratio: kernels of wirings accept by the ratio to the power "
                  "0.6; momentum: their momenta have a standard deviation of 1.3; verdict: every "
                  "certificate is taken to claim the target")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Lie>{{"none", Lie::none},
                                                                     {"ratio", Lie::ratio},
                                                                     {"momentum", Lie::momentum},
                                                                     {"verdict", Lie::verdict}}));
  program.add_option("--show", a.show, "Print the manifest of this case and judge only it");
}

constexpr auto about = R"(
A case is a manifest. Its certificate is derived and compared first with exact laws on finite worlds,
then, where these leave something open, with draws. A finding is a claim that worlds or draws refute
(disagree) or a process that died (error); it is shrunk to the smallest manifest that still shows it.
Exit 0: nothing was found. 4: there are findings. 2: a mistake in the call.
docs/compositions.md says how to read a finding, and how the error rate is kept.)";

int main_of(Arguments& arguments, bool enumerates) {
  std::vector<std::string> folders = guests::with_default_folders();
  if (!enumerates) folders.emplace_back(MIXWELL_BUILD_DIR "/tests/compositions/plugins");
  const auto registry = mixwell::Registry::load(folders);
  write_fixtures(arguments.search.judge.folder);
  arguments.search.judge.key = key_of(arguments, registry);
  return enumerates ? enumerate_all(arguments, registry) : search_at_random(arguments, registry);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments enumeration;
  Arguments random;
  CLI::App program("Certificates put to the test, by finite worlds and by draws");
  CLI::App& enumerates =
      *program.add_subcommand("enumerate", "Every composition that the registry allows");
  CLI::App& draws = *program.add_subcommand("random", "Compositions and wirings made at random");
  program.require_subcommand(1);
  declare_enumeration(enumerates, enumeration);
  declare_random(draws, random);
  enumerates.footer(about);
  draws.footer(about);
  CLI11_PARSE(program, argc, argv);
  try {
    return main_of(enumerates.parsed() ? enumeration : random, enumerates.parsed());
  } catch (const std::exception& fault) {
    fmt::print(stderr, "compositions: {}\n", fault.what());
    return 2;
  }
}
