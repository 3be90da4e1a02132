// mixwell_worlds: tests certificates against exact laws on finite worlds, without draws.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "wiring.hpp"

#include <mixwell/base/error.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <exception>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace mixwell;
using namespace mixwell::testing;

constexpr int every_option = 1000;
constexpr int found_holes = 4;

constexpr auto about = R"(Certificates against exact laws on finite worlds.

A finite world represents a kernel graph on small finite sets, by random tables that satisfy the
declared traits. It computes the exact law of the recorded slots after each sweep. If a wiring is
called exact and leaves the target in one world, the certificate has a hole.
docs/worlds.md explains the method.

  ./dev worlds wirings walk,keep registers=window noises=1 statements=2 options=3     every wiring of that language
  ./dev worlds wirings leap,walk statements=4 options=6 --random 1 --seconds 60      random larger ones
  ./dev worlds tape 0.0.0.0.1.0.0 walk chains                                        one wiring, with its graph
  ./dev worlds manifests examples/certificates/*.toml                                real compositions
  ./dev worlds compositions --seed 3 --cases 1000                                    random ones of built-in components
  ./dev worlds expected tests/worlds/expected.tsv                                    the table of what is known
)";

struct Arguments {
  std::vector<std::string> words;
  Search search;
  int show = 10;
  bool shrinks = true;
  std::string strict;  ///< a rule whose strict cases are shown
  std::string tape;
  std::vector<std::string> files;
  std::string table;
  std::string only;
  bool graph = false;
  RandomCompositions random;
};

std::string in_words(const Case& found) {
  std::string text = fmt::format("{}; {} (rule {}: {}){}", in_words(found.judgement),
                                 found.verdict.label(), to_string(found.verdict.rule),
                                 found.verdict.reason, found.verdict.coupled ? ", coupled" : "");
  if (const auto& off = found.finite.departure)
    text += fmt::format("; world {}, sweep {}, off by {:.2g}", off->world, off->sweep, off->size);
  if (!found.finite.unread.empty()) text += "; " + found.finite.unread;
  return text;
}

void show(const Language& language, Tape tape, const Effort& effort) {
  tape.begin(every_option);
  const Case found = judged(language, tape, effort);
  fmt::print("{}: {}\n", tape.text(), in_words(found));
  if (found.judgement == Judgement::refused) return;
  tape.begin(every_option);
  fmt::print("{}", listed(wired(language, tape)));
}

int tape(const Arguments& a) {
  const Language language = language_from(a.words);
  Tape one = Tape::from(a.tape);
  show(language, one, a.search.effort);
  one.begin(every_option);
  return judged(language, one, a.search.effort).judgement == Judgement::hole ? found_holes : 0;
}

/// For each rule, how often it called something biased, rightly and too strictly.
struct Rules {
  std::map<Rule, std::pair<std::int64_t, std::int64_t>> of;
  void add(const Case& found) {
    if (found.judgement == Judgement::wrong) ++of[found.verdict.rule].first;
    if (found.judgement == Judgement::strict) ++of[found.verdict.rule].second;
  }
  void print() const {
    for (const auto& [rule, count] : of)
      fmt::print("  rule {}: {} biased and wrong, {} biased and right\n", to_string(rule),
                 count.first, count.second);
  }
};

void print(const Tally& tally, bool random) {
  fmt::print("{} wirings{}:", tally.cases,
             random           ? " at random"
             : tally.complete ? ", all there are"
                              : ", not all");
  for (const auto& [judgement, count] : tally.of) fmt::print(" {} {}", count, in_words(judgement));
  fmt::print("; {:.1f} s, {:.0f} a second\n", tally.seconds,
             static_cast<double>(tally.cases) / tally.seconds);
}

int wirings(const Arguments& a) {
  Search what = a.search;
  what.language = language_from(a.words);
  Rules rules;
  std::set<std::string> shown;
  const Tally tally = search(what, [&](const Tape& tape, const Case& found) {
    rules.add(found);
    const bool strict =
        found.judgement == Judgement::strict && to_string(found.verdict.rule) == a.strict;
    if ((found.judgement != Judgement::hole && !strict) || std::ssize(shown) >= a.show) return;
    const Tape small = a.shrinks && !strict ? shrunk(what.language, tape, what.effort) : tape;
    if (shown.insert(small.text()).second) show(what.language, small, what.effort);
  });
  print(tally, what.seed.has_value());
  rules.print();
  return tally.of.contains(Judgement::hole) ? found_holes : 0;
}

void add_effort(CLI::App& app, Effort& effort) {
  app.add_option("--worlds", effort.worlds, "Finite worlds for each case that is called exact")
      ->capture_default_str();
  app.add_option("--strict-worlds", effort.strict_worlds,
                 "Finite worlds for each case that is called biased")
      ->capture_default_str();
  app.add_option("--sweeps", effort.sweeps, "Sweeps in each world")->capture_default_str();
  app.add_option_function<std::string>(
      "--without-rule", [&](const std::string& id) { effort.without_rule = rule_named(id); },
      "Leave out this rule of the certificate: a hole shows that the rule is needed");
}

void add_wirings(CLI::App& app, Arguments& a) {
  app.add_option("words", a.words, language_words())->required();
  app.add_option("--random", a.search.seed,
                 "Draw wirings at random with this seed instead of taking all");
  app.add_option("--percent", a.search.percent, "Percentage of options that a random wiring takes")
      ->capture_default_str();
  app.add_option("--seconds", a.search.seconds, "Stop after this many seconds")
      ->capture_default_str();
  app.add_option("--cases", a.search.cases, "Stop after this many wirings");
  app.add_option("--show", a.show, "Number of holes to print, shrunk")->capture_default_str();
  app.add_option("--strict", a.strict,
                 "Print wirings that this rule calls biased and all worlds find invariant");
  app.add_flag("!--no-shrink", a.shrinks, "Print holes without shrinking them");
  add_effort(app, a.search.effort);
}

int run(int count, char** words) {
  CLI::App app(about, "mixwell_worlds");
  app.require_subcommand(1);
  Arguments a;
  CLI::App& of_wirings =
      *app.add_subcommand("wirings", "Enumerate the wirings of a language, or draw random ones");
  add_wirings(of_wirings, a);
  CLI::App& of_tape =
      *app.add_subcommand("tape", "Judge one wiring by its choices, and print its graph");
  of_tape.add_option("tape", a.tape, "Choices as `wirings` prints them: 0.0.1.2")->required();
  of_tape.add_option("words", a.words, language_words())->required();
  add_effort(of_tape, a.search.effort);
  CLI::App& of_manifests = *app.add_subcommand("manifests", "Judge real compositions");
  of_manifests.add_option("files", a.files, "Manifests")->required();
  of_manifests.add_flag("--graph", a.graph, "Print the graph of each composition");
  add_effort(of_manifests, a.search.effort);
  CLI::App& of_random =
      *app.add_subcommand("compositions", "Judge random compositions of built-in components");
  of_random.add_option("--seed", a.random.seed, "Seed of all cases")->capture_default_str();
  of_random.add_option("--cases", a.random.cases, "Number of compositions")->capture_default_str();
  of_random.add_option("--seconds", a.random.seconds, "Stop after this many seconds")
      ->capture_default_str();
  of_random.add_option("--out", a.random.folder, "Folder for the manifests of holes")
      ->capture_default_str();
  add_effort(of_random, a.random.effort);
  CLI::App& of_table = *app.add_subcommand("expected", "Compare with a table of known cases");
  of_table.add_option("table", a.table, "tests/worlds/expected.tsv")->required();
  of_table.add_option("--only", a.only, "Only rows of this kind: tape, count, manifest or planted");
  add_effort(of_table, a.search.effort);
  CLI11_PARSE(app, count, words);
  if (of_wirings) return wirings(a);
  if (of_tape) return tape(a);
  if (of_manifests) return judge_manifests(a.files, a.graph, a.search.effort) ? found_holes : 0;
  if (of_random) return judge_random_compositions(a.random) ? found_holes : 0;
  return compare_with_table(a.table, a.only, a.search.effort) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try {
  return run(count, words);
} catch (const mixwell::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return static_cast<int>(error.code());
}
