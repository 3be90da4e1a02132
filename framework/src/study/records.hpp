// What a study keeps in files of its own, and the rows of the ledger that say the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/database.hpp"

#include <mixwell/lab/study.hpp>

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixwell::study {

/// What one record holds: all rows of its tables that have its key.
enum class RecordKind {
  study,   ///< what the study is called, its file, axes, their aliases and published figures:
           ///< study.json
  places,  ///< the places of the study and the cells that stood there: places.json
  tuning,  ///< the trials of a tuning: tune/KEY.json
  cell,    ///< what came of a cell that has ended: cells/KEY/cell.json
};

inline constexpr std::array all_record_kinds = {RecordKind::study, RecordKind::places,
                                                RecordKind::tuning, RecordKind::cell};

/// The rows of a record, and the table `seals` with the SHA-256 of each. A statement is prepared
/// once.
class Records {
 public:
  explicit Records(Database& database) : database_(database) {}

  /// Puts the rows of a file instead of those that are there; does nothing where it is no
  /// record, or not as it was written. Throws InputError for one that no study has written.
  void restore(RecordKind kind, const std::string& key, const std::string& file);
  /// After a change of its rows; returns what the file says.
  std::string seal(RecordKind kind, const std::string& key);
  /// SHA-256 by key, of all that are sealed.
  std::map<std::string, std::string> seals(RecordKind kind);
  /// Whether all rows are as they were when they were sealed.
  bool hold();

 private:
  Statement& statement(const std::string& sql);
  std::string text_of(RecordKind kind, const std::string& key);
  std::string hash_of_rows(RecordKind kind, const std::string& key);
  void replace(RecordKind kind, const std::string& key, const nlohmann::ordered_json& rows);

  Database& database_;
  std::map<std::string, Statement> statements_;
};

/// The file of a record in a study's folder: {"format": 1, "sha256": ..., "rows": ...}.
std::string record_file(const std::string& folder, RecordKind kind, const std::string& key);
/// Its hash without a look at its rows; "" where there is no record.
std::string recorded_hash(const std::string& file);
/// How the cell of a record has ended, `done` or `failed`; nothing where there is none that is
/// whole.
std::optional<CellStatus> recorded_end(const std::string& folder, const std::string& cell);
/// The keys of which there are files.
std::vector<std::string> recorded_keys(const std::string& folder, RecordKind kind);

}  // namespace mixwell::study
