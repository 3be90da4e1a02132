// The table of all rows, condensed.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

namespace compositions {
namespace {

constexpr std::array outcomes = {"agree", "still", "inconclusive", "untested", "disagree", "error"};

using Counts = std::map<std::string, std::size_t>;

std::string compositor_of(const Row& row, const Enumeration& enumeration) {
  const auto found = std::find_if(enumeration.kept.begin(), enumeration.kept.end(),
                                  [&](const Candidate& c) { return c.id == row.id; });
  return found == enumeration.kept.end() ? "" : found->draft.choices.front().id;
}

std::string line(const std::string& compositor, const std::string& certificate, Counts counts) {
  std::size_t all = 0;
  for (const auto& [outcome, n] : counts) all += n;
  std::string text = fmt::format("| {} | {} | {} |", compositor, certificate, all);
  for (const char* const outcome : outcomes) text += fmt::format(" {} |", counts[outcome]);
  return text + "\n";
}

std::string table(const Enumeration& enumeration, const std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, Counts> cells;
  Counts all;
  for (const Row& row : rows) {
    ++cells[{compositor_of(row, enumeration), row.certificate}][row.outcome];
    ++all[row.outcome];
  }
  std::string text =
      "| compositor | certificate | rows | agree | still | inconclusive | untested | disagree | "
      "error |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [cell, counts] : cells) text += line(cell.first, cell.second, counts);
  return text + line("all", "", all);
}

std::string most_first(const Counts& counts) {
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const auto& [what, n] : counts) sorted.emplace_back(n, what);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text = "| | |\n|---|---|\n";
  for (const auto& [n, what] : sorted) text += fmt::format("| {} | {} |\n", n, what);
  return text;
}

/// Rows of an outcome by certificate and reason.
std::string reasons(const std::vector<Row>& rows, const std::string& outcome) {
  Counts counts;
  for (const Row& row : rows) {
    if (row.outcome == outcome) {
      ++counts[fmt::format("{}, rule {}: {}", row.certificate, row.rule, row.remark)];
    }
  }
  return counts.empty() ? "None.\n" : most_first(counts);
}

std::string listed(const std::vector<Row>& rows, const std::string& outcome) {
  std::string text;
  for (const Row& row : rows) {
    if (row.outcome != outcome) continue;
    text += fmt::format("- `{}`: {}, rule {}; {} {} ({})\n", row.id, row.certificate, row.rule,
                        row.statistic, row.remark, row.settings);
  }
  return text.empty() ? "None.\n" : text;
}

}  // namespace

std::size_t count(const std::vector<Row>& rows, const std::string& outcome) {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const Row& row) { return row.outcome == outcome; }));
}

std::string summary(const Enumeration& enumeration, const std::vector<Row>& rows) {
  std::string text = fmt::format(
      "{} drafts, {} distinct compositions type-check, {} of them are kept; {} rows were made.\n\n",
      enumeration.drawn, enumeration.composed, enumeration.kept.size(), rows.size());
  text += table(enumeration, rows);
  text += "\n## Disagreements\n\n" + listed(rows, "disagree");
  text += "\n## Errors\n\n" + listed(rows, "error");
  text += "\n## Right, and does not move\n\n" + listed(rows, "still");
  text += "\n## Inconclusive\n\n" + reasons(rows, "inconclusive");
  text += "\n" + listed(rows, "inconclusive");
  text += "\n## Untested\n\n" + reasons(rows, "untested");
  Counts refused;
  for (const auto& [reason, n] : enumeration.refused) refused[reason] = static_cast<std::size_t>(n);
  text += fmt::format(
      "\n## What does not type-check\n\n{} pairs of choices stand together in some "
      "composition, {} were not met in any. Drafts by the reason of refusal:\n\n",
      enumeration.pairs, enumeration.never_together);
  return text + most_first(refused);
}

}  // namespace compositions
