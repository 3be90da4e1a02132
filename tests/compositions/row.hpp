// What was found out about one case: a line of a table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace compositions {

inline constexpr std::array outcomes = {
    "agree",         ///< worlds or draws say what the certificate says
    "still",         ///< so they do, but the composition hardly moves
    "strict",        ///< called biased, and nothing is seen: the rule may be too strict
    "inconclusive",  ///< not enough gradients, or not enough time
    "untested",      ///< nothing is claimed that could be refuted, or there are no draws of it
    "refused",       ///< not a composition
    "disagree",      ///< the certificate claims what worlds or draws refute
    "error"          ///< its process died, or it failed while it ran
};

/// A line of the table, in this order; cells are separated by tabs.
struct Row {
  std::string id{};
  std::string key{};  ///< of build and settings: with the same id and key it is not made again
  std::string compositor{};
  std::string certificate{};  ///< the class, and "after warm-up"
  std::string rule{};         ///< that decided
  std::string worlds{};       ///< invariant, departs, or why there is no reading; empty: not asked
  std::string tested{};       ///< what draws say: a class; empty: none were made
  std::string outcome{};
  std::string statistic{};  ///< the one farthest off
  std::string visible_bias{};
  std::string gradients{};
  std::string seconds{};   ///< of the processor
  std::string settings{};  ///< what is not a default
  std::string remark{};

  bool is_finding() const { return outcome == "disagree" || outcome == "error"; }
};

std::string tsv_head();
std::string tsv_line(const Row& row);
/// By id; those with another key and lines that are no rows are left out. Nothing where there is no
/// such file.
std::map<std::string, Row> read_tsv(const std::string& path, std::string_view key);

}  // namespace compositions
