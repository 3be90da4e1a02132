// The ledger of a study: what its cells are, and what came of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/database.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::study {

using Json = nlohmann::ordered_json;

/// A place of the study and the cell that stands in it; several places may share one.
struct LedgerPoint {
  std::string label;
  std::string model;
  std::string variant;
  std::int64_t seed = 0;
  std::string axes;  ///< JSON object
  std::string cell;
};

/// A cell before it has run.
struct LedgerCell {
  std::string cell;    ///< first 16 digits of `sha256`
  std::string sha256;  ///< of all its ingredients
  std::string certificate;
  std::string ingredients;  ///< JSON object
  std::string manifest;     ///< effective
};

/// What happens to a cell: "running" when it begins, "pending" when it is put off, "done" or
/// "failed" with the answer of the worker.
struct LedgerEvent {
  std::string cell;
  std::string status;
  Json answer;
};

struct LedgerStatus {
  std::string status;
  std::string reason;
};

/// Every method is one transaction; a DatabaseError leaves the ledger as it was.
class Ledger {
 public:
  Ledger(const std::string& path, Database::Access mode);

  /// Makes these the study's places; results of cells that are in none any more are kept.
  void lay_out(const std::vector<LedgerPoint>& points, const std::vector<LedgerCell>& cells);
  std::map<std::string, LedgerStatus> statuses();
  /// What was running when the last process was killed is pending again; with `failed`, what failed
  /// as well.
  void reopen(bool failed);

  /// All of them or none.
  void write(const std::vector<LedgerEvent>& events);

  /// What each cell's errors were measured against: the id of a reference, by cell.
  std::map<std::string, std::string> compared();
  /// Errors and curve of a cell, from a worker's answer; takes them away where that has none.
  void compare(const std::string& cell, const Json& answer);

  void set(const std::string& key, const std::string& value);
  std::string get(const std::string& key);

  /// SHA-256 of a file that had this size and time of change; "" if not known.
  std::string known_hash(const std::string& path, std::int64_t size, std::int64_t changed_ns);
  void know_hash(const std::string& path, std::int64_t size, std::int64_t changed_ns,
                 const std::string& sha256);
  /// What a worker said about a manifest; "" if it was not asked.
  std::string known_plan(const std::string& key);
  void know_plans(const std::vector<std::pair<std::string, std::string>>& plans);
  /// One evaluation of a tuning; null if it was not made yet.
  Json known_trial(const std::string& tuning, int rung, int candidate);
  void know_trial(const std::string& tuning, const std::string& group, const Json& trial);
  void choose(const std::string& tuning, int rung, int candidate);

  Database& database() noexcept { return database_; }

 private:
  void start(const std::string& cell);
  void end(const std::string& cell, const std::string& status, const Json& answer);
  void add_metrics(const std::string& cell, const Json& answer);

  Database database_;
};

/// The layout of study.sqlite that this program writes.
inline constexpr std::int64_t ledger_format = 1;

}  // namespace mixwell::study
