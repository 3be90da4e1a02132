// The table of all rows, condensed.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace compositions {
namespace {

using Counts = std::map<std::string, std::size_t>;

std::string line(const std::string& compositor, const std::string& certificate, Counts counts) {
  std::size_t all = 0;
  for (const auto& [outcome, n] : counts) all += n;
  std::string text = fmt::format("| {} | {} | {} |", compositor, certificate, all);
  for (const char* const outcome : outcomes) text += fmt::format(" {} |", counts[outcome]);
  return text + "\n";
}

std::string table(const std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, Counts> cells;
  Counts all;
  for (const Row& row : rows) {
    ++cells[{row.compositor, row.certificate}][row.outcome];
    ++all[row.outcome];
  }
  std::string text = "| compositor | certificate | rows |";
  std::string rule = "|---|---|---|";
  for (const char* const outcome : outcomes) {
    text += fmt::format(" {} |", outcome);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& [cell, counts] : cells) text += line(cell.first, cell.second, counts);
  return text + line("all", "", all);
}

/// What decided, and what it took.
std::string deciders(const std::vector<Row>& rows) {
  Counts counts;
  double seconds = 0.0;
  for (const Row& row : rows) {
    ++counts[!row.tested.empty() ? "drawn" : row.worlds.empty() ? "neither" : "worlds"];
    seconds += std::atof(row.seconds.c_str());
  }
  return fmt::format(
      "{} rows, {:.0f} seconds of the processor: worlds decided {}, draws {}; {} were not asked.\n",
      rows.size(), seconds, counts["worlds"], counts["drawn"], counts["neither"]);
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

std::string summary(const std::vector<Row>& rows) {
  std::string text = deciders(rows) + "\n" + table(rows);
  for (const char* const outcome : {"disagree", "error", "still"})
    text += fmt::format("\n## {}\n\n{}", outcome, listed(rows, outcome));
  for (const char* const outcome : {"inconclusive", "strict", "untested"})
    text += fmt::format("\n## {}, by reason\n\n{}", outcome, reasons(rows, outcome));
  return text;
}

std::string summary(const Enumeration& enumeration) {
  Counts refused;
  for (const auto& [reason, n] : enumeration.refused) refused[reason] = static_cast<std::size_t>(n);
  return fmt::format(
             "\n## What does not type-check\n\n{} drafts, {} distinct compositions type-check, {} "
             "of them are kept. {} pairs of choices stand together in some composition, {} were "
             "not met in any. Drafts by the reason of refusal:\n\n",
             enumeration.drawn, enumeration.composed, enumeration.kept.size(), enumeration.pairs,
             enumeration.never_together) +
         most_first(refused);
}

}  // namespace compositions
