// One composition, its certificate, and what a test says about it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "enumeration.hpp"

#include <mixwell/lab/registry.hpp>
#include <mixwell/lab/verify.hpp>

#include <map>
#include <string>
#include <vector>

namespace compositions {

/// A line of rows.csv.
struct Row {
  std::string id;
  std::string
      key;  ///< of manifest, libraries and settings: a row with the same key need not be run
  std::string certificate;
  std::string rule;
  std::string tested;
  /// agree; disagree; still (right, and does not move); inconclusive; untested; error.
  std::string outcome;
  std::string statistic;  ///< the one farthest off: target, name, z
  double visible_bias = 0.0;
  double gradients = 0.0;
  double seconds = 0.0;  ///< of the processor
  std::string settings;  ///< what is not a default
  std::string remark;
};

struct RowSettings {
  std::string folder;  ///< ID.toml is written there
  mixwell::VerifySettings verify;
  double second_budget = 10.0;  ///< times the budget, for what the first left open
  std::string build;            ///< what tells builds apart
};

/// Compose, certify and verify `candidate`. What goes wrong is the outcome `error`.
Row verified(const Candidate& candidate, const mixwell::Registry& registry,
             const RowSettings& settings);

/// The row before anything was run.
Row blank(const Candidate& candidate, const RowSettings& settings);

/// Row::key.
std::string key_of(const Candidate& candidate, const RowSettings& settings);

/// As lines of CSV (RFC 4180).
std::string csv_head();
std::string csv_line(const Row& row);
/// By id; nothing where there is no such file. Lines that are not rows are left out.
std::map<std::string, Row> read_csv(const std::string& path);

}  // namespace compositions
