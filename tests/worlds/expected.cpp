// The table of cases whose judgement is known.
// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

#include <mixwell/base/error.hpp>

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace mixwell::testing {
namespace {

struct Row {
  std::string kind;
  std::string name;
  std::string expected;
  std::string subject;
  std::vector<std::string> language;
};

Row row_from(const std::string& line, const std::string& path, int number) {
  std::istringstream in(line);
  std::vector<std::string> columns;
  for (std::string one; std::getline(in, one, '\t');) columns.push_back(one);
  if (columns.size() != 5)
    throw InputError({path, number, 1},
                     "a row must have five columns: kind, name, expected, subject, language");
  std::istringstream words(columns[4]);
  Row row{columns[0], columns[1], columns[2], columns[3], {}};
  for (std::string word; words >> word;) {
    if (word != "-") row.language.push_back(word);
  }
  return row;
}

std::vector<Row> rows_of(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw InputError("there is no table `" + path + "`");
  std::vector<Row> rows;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.empty() && line.front() != '#') rows.push_back(row_from(line, path, number));
  }
  return rows;
}

class Comparison {
 public:
  explicit Comparison(const Effort& effort) : effort_(effort) {}

  std::string found(const Row& row) {
    if (row.kind == "tape") return of_tape(row);
    if (row.kind == "count") return of_all(row);
    if (row.kind == "manifest") return of_manifest(row, effort_);
    if (row.kind == "planted") return of_planted(row);
    throw InputError("a row of kind `" + row.kind +
                     "`; there are tape, count, manifest and planted");
  }

 private:
  std::string of_tape(const Row& row) const {
    Tape tape = Tape::from(row.subject);
    tape.begin(1000);
    Effort effort = effort_;
    effort.worlds = effort.strict_worlds;
    return in_words(judged(language_from(row.language), tape, effort).judgement);
  }
  std::string of_all(const Row& row) const {
    Search all;
    all.language = language_from(row.language);
    all.effort = effort_;
    all.seconds = 1e9;
    Tally tally = search(all, [](const Tape&, const Case&) {});
    return fmt::format("{}/{}", tally.of[Judgement::right], tally.of[Judgement::hole]);
  }
  /// The first hole of a language, or of a manifest, without one rule.
  std::string of_planted(const Row& row) {
    Effort effort = effort_;
    effort.without_rule = rule_named(row.name.substr(row.name.find(' ') + 1));
    if (row.language.empty()) return of_manifest(row, effort);
    Search until;
    until.language = language_from(row.language);
    until.effort = effort;
    until.effort.strict_worlds = 0;
    until.seconds = 1e9;
    until.holes = 1;
    Tally tally = search(until, [](const Tape&, const Case&) {});
    return tally.of[Judgement::hole] > 0 ? "hole" : "no hole";
  }
  std::string of_manifest(const Row& row, const Effort& effort) {
    if (!registry_) registry_ = Registry::load(Registry::default_folders());
    const ManifestCase one =
        judged_manifest(MIXWELL_SOURCE_DIR "/" + row.subject, *registry_, effort);
    return one.trouble.empty() ? in_words(one.found.judgement) : "trouble: " + one.trouble;
  }

  Effort effort_;
  std::optional<Registry> registry_;
};

}  // namespace

bool compare_with_table(const std::string& path, const std::string& kind, const Effort& effort) {
  Comparison comparison(effort);
  int rows = 0, faults = 0;
  for (const Row& row : rows_of(path)) {
    if (!kind.empty() && row.kind != kind) continue;
    ++rows;
    const std::string found = comparison.found(row);
    if (found == row.expected) continue;
    ++faults;
    fmt::print("{} {}: {}, expected {}\n", row.kind, row.name, found, row.expected);
  }
  fmt::print("{} rows, {} not as expected\n", rows, faults);
  return rows > 0 && faults == 0;
}

}  // namespace mixwell::testing
