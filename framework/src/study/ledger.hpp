// The ledger of a study: what its cells are, and what came of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/database.hpp"
#include "study/records.hpp"
#include "study/task.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::study {

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
  std::string cell;         ///< first 16 digits of `sha256`
  std::string sha256;       ///< of all its ingredients
  std::string certificate;  ///< its class; "" where its manifest could not be made
  std::string ingredients;  ///< JSON object
  std::string manifest;     ///< effective
};

/// What happens to a cell: `running` when it begins, `pending` when it is put off, `done` with its
/// figures, `failed` with the reason.
struct LedgerEvent {
  std::string cell;
  CellStatus status = CellStatus::pending;
  std::string reason{};
  std::optional<CellFigures> figures{};
};

struct LedgerStatus {
  CellStatus status = CellStatus::pending;
  std::string reason;
};

/// An index of the records in the study's folder, which are the truth. Every method is one
/// transaction; a DatabaseError leaves the ledger as it was.
class Ledger {
 public:
  /// `folder` of the records; "" = none are written.
  Ledger(const std::string& path, Database::Access mode, std::string folder);

  /// Whether it was made just now.
  bool is_new() const noexcept { return new_; }
  /// Whether every row is as it was written. Throws DatabaseError.
  bool holds();
  /// Whether the records of that folder, at which nobody is at work, are those of the rows.
  bool agrees_with(const std::string& folder);
  /// Takes what differs from those records: a cell that has none has not ended. Returns how many
  /// cells have one.
  std::size_t take_records(const std::string& folder);
  /// Takes what records say of the study, its places and tunings, but of no cell.
  void take_outline(const std::string& folder);
  /// Takes one record, which another process may have written.
  void take_record(const std::string& folder, RecordKind kind, const std::string& key);

  /// The cell of each place, by label, as it is now.
  std::map<std::string, std::string> places();
  /// Makes these the study's places; results of cells that are in none any more are kept.
  /// `describe` gives the k-th of `cells`, and is asked for those that are not known yet.
  void lay_out(const std::vector<LedgerPoint>& points, const std::vector<std::string>& cells,
               const std::function<LedgerCell(std::size_t)>& describe);
  /// Of a cell that is in no list.
  void add_cell(const LedgerCell& cell);
  std::map<std::string, LedgerStatus> statuses();
  /// What was running when the last process was killed is pending again; with `failed`, what failed
  /// as well.
  void reopen(bool failed);

  /// All of them or none.
  void write(const std::vector<LedgerEvent>& events);

  /// What each cell's errors were measured against: the id of a reference, by cell.
  std::map<std::string, std::string> compared();
  /// Errors and curve of a cell, instead of those that it had.
  void compare(const std::string& cell, const ReferenceErrors& errors);

  void set(const std::string& key, const std::string& value);
  std::string get(const std::string& key);

  /// SHA-256 of a file that had this size and time of change; "" if not known.
  std::string known_hash(const std::string& path, std::int64_t size, std::int64_t changed_ns);
  void know_hash(const std::string& path, std::int64_t size, std::int64_t changed_ns,
                 const std::string& sha256);
  /// Nothing if no worker was asked yet.
  std::optional<CellPlan> known_plan(const std::string& key);
  void know_plans(const std::vector<std::pair<std::string, CellPlan>>& plans);
  /// Of one evaluation of a tuning, NaN where it has none; nothing if it was not made yet.
  std::optional<double> known_score(const std::string& tuning, std::int64_t rung,
                                    std::int64_t candidate);
  /// Gradients of the trials before that rung, as far as they are known.
  double spent(const std::string& tuning, std::int64_t rung);
  void know_trial(const std::string& tuning, const StudyTrial& trial);
  void choose(const std::string& tuning, std::int64_t rung, std::int64_t candidate);
  bool has_chosen(const std::string& tuning);

  Database& database() noexcept { return database_; }

 private:
  void put_views();
  void insert(const LedgerCell& cell);
  void start(const std::string& cell);
  void end(const LedgerEvent& event);
  void add_metrics(const std::string& cell, const std::vector<CellMetric>& metrics);
  void add_errors(const std::string& cell, const ReferenceErrors& errors);
  void put_off(const std::string& cell);
  void forget(const std::string& cell);
  void put_index_in_order();
  void keep(RecordKind kind, const std::string& key);
  void take(const std::string& folder, RecordKind kind, const std::string& key,
            const std::map<std::string, std::string>& seals);
  void lay_out_cells();
  void place(const std::vector<LedgerPoint>& points);
  std::vector<std::string> cells_where(const std::string& condition);

  Database database_;
  Records records_{database_};
  std::string folder_;
  bool new_ = false;
};

/// A row for each tuning of the study as it is now: how many of its `trials` have a score
/// (`scored`), the gradients that they spent, and whether each of its choices rests on scores
/// (`tuned`; NULL before it has chosen). A choice does where all that a rung keeps have a score,
/// and where it leaves nothing out; the winner of the last rung must have one.
inline constexpr const char* tunings_query = R"(
  WITH rungs AS (
    SELECT tuning, model, variant, axes, rung, count(*) AS trials, count(score) AS scored,
           sum(gradients) AS gradients, max(winner) AS has_winner, max(reason) AS reason,
           lead(count(*), 1, 1) OVER later AS kept, lead(1, 1, 0) OVER later = 0 AS is_last
    FROM tune
    WHERE tuning IN (SELECT value FROM json_each(
      coalesce((SELECT value FROM study WHERE key = 'tunings'), '[]')))
    GROUP BY tuning, rung
    WINDOW later AS (PARTITION BY tuning ORDER BY rung)
  )
  SELECT tuning, model, variant, axes, sum(trials) AS trials, sum(scored) AS scored,
         sum(gradients) AS gradients,
         CASE max(has_winner)
           WHEN 1 THEN min(scored >= kept OR (trials = kept AND NOT is_last)) END AS tuned,
         max(reason) AS reason
  FROM rungs GROUP BY tuning)";

/// The view `results`: a row for each place of the study, with its cell and whether it is tuned.
/// Whoever reads asks by it, as a view in a file may be that of another version.
std::string results_query();

/// The layout of study.sqlite that this program writes.
inline constexpr std::int64_t ledger_format = 2;

}  // namespace mixwell::study
