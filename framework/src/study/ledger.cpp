// The ledger of a study: what its cells are, and what came of them.
// SPDX-License-Identifier: Apache-2.0
#include "study/ledger.hpp"

#include "base/clock.hpp"
#include "files/json.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "study/end_index.hpp"
#include "study/protocol.hpp"
#include "study/status.hpp"
#include "study/table_json.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

/// What `write` cannot write is the ledger's fault to those who use it.
template <class Write>
void written(Write write) {
  try {
    write();
  } catch (const WriteError& fault) {
    throw DatabaseError(fault.what(),
                        fault.is_full() ? DatabaseError::Cause::disk : DatabaseError::Cause::other);
  }
}

constexpr const char* schema = R"(
CREATE TABLE IF NOT EXISTS study (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cells (
  cell TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'done', 'failed')),
  reason TEXT,
  outcome TEXT,
  class TEXT,
  min_ess REAL,
  min_ess_mcse REAL,
  gradients REAL,
  seconds REAL,
  warmup_gradients REAL,
  warmup_seconds REAL,
  cell_seconds REAL,
  draws INTEGER,
  draws_sha256 TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  started_at TEXT,
  ended_at TEXT,
  host TEXT,
  versions TEXT,
  curve TEXT,
  ingredients TEXT,
  manifest TEXT,
  summary TEXT,
  run TEXT
);
CREATE TABLE IF NOT EXISTS metrics (
  cell TEXT NOT NULL,
  name TEXT NOT NULL,
  value REAL,
  mcse REAL,
  PRIMARY KEY (cell, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS compared (
  cell TEXT PRIMARY KEY, reference TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS points (
  place INTEGER PRIMARY KEY,
  label TEXT NOT NULL UNIQUE,
  model TEXT NOT NULL,
  variant TEXT NOT NULL,
  seed INTEGER NOT NULL,
  axes TEXT NOT NULL,
  cell TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS points_cell ON points (cell);
CREATE TABLE IF NOT EXISTS history (
  label TEXT NOT NULL,
  number INTEGER NOT NULL,
  cell TEXT NOT NULL,
  since TEXT NOT NULL,
  PRIMARY KEY (label, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tune (
  tuning TEXT NOT NULL,
  rung INTEGER NOT NULL,
  candidate INTEGER NOT NULL,
  model TEXT NOT NULL,
  variant TEXT NOT NULL,
  axes TEXT NOT NULL,
  "values" TEXT NOT NULL,
  objective TEXT NOT NULL,
  score REAL,
  gradients REAL,
  seconds REAL,
  reason TEXT,
  winner INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tuning, rung, candidate)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
  path TEXT PRIMARY KEY, size INTEGER, changed_ns INTEGER, sha256 TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS plans (key TEXT PRIMARY KEY, answer TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seals (
  kind TEXT NOT NULL, key TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (kind, key)
) WITHOUT ROWID;
)";

/// Views hold nothing: those of an earlier version are replaced by ours.
constexpr const char* views = R"(
DROP VIEW IF EXISTS results;
DROP VIEW IF EXISTS tunings;
CREATE VIEW tunings AS {};
CREATE VIEW results AS {};
)";

constexpr const char* results_format =
    "SELECT points.place, points.label, points.model, points.variant, points.seed, points.axes, "
    "tunings.tuned, cells.* FROM points JOIN cells USING (cell) "
    "LEFT JOIN {} USING (model, variant, axes)";

/// Results are re-computed if a power cut takes the last of them; a killed process loses none.
constexpr const char* settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;";

constexpr std::int64_t earlier_format = 1;  ///< had no records

/// What is only remembered, after a hash of it and of what it belongs to.
std::string sealed(const std::string& text, const std::string& key) {
  return sha256(key + "\n" + text) + text;
}

/// "" where it is not as it was.
std::string unsealed(const std::string& stored, const std::string& key) {
  const std::size_t hash_bytes = sha256("").size();
  const std::string text = stored.substr(std::min(hash_bytes, stored.size()));
  return sealed(text, key) == stored ? text : "";
}

/// "" for an empty one.
std::string curve_text(const std::vector<ErrorPoint>& curve) {
  return curve.empty() ? "" : json_text(curve);
}

/// Of all draws; what is not finite is not known.
std::vector<CellMetric> last_errors(const ReferenceErrors& against) {
  std::vector<CellMetric> errors = against.distance;
  if (!against.curve.empty()) {
    errors.push_back({"error_mean", against.curve.back().error_mean});
    errors.push_back({"error_covariance", against.curve.back().error_covariance});
  }
  std::erase_if(errors, [](const CellMetric& error) { return !std::isfinite(error.value); });
  return errors;
}

}  // namespace

Ledger::Ledger(const std::string& path, Database::Access mode, std::string folder)
    : database_(path, mode), folder_(std::move(folder)) {
  if (mode == Database::Access::write) database_.execute(settings);
  Statement version = database_.prepare("PRAGMA user_version");
  version.step();
  const std::int64_t found = version.integer(0);
  version.step();
  new_ = found == 0;
  if (found == earlier_format) {
    throw InputError(
        fmt::format("{}: a ledger of format {}; this program reads format {}: choose "
                    "another folder with --out",
                    path, found, ledger_format));
  }
  if (!new_ && found != ledger_format)
    throw DatabaseError(path + ": is damaged", DatabaseError::Cause::damage);
  if (mode == Database::Access::read) return;
  Transaction transaction(database_);
  database_.execute(schema);
  put_views();
  database_.execute(fmt::format("PRAGMA user_version = {}", ledger_format));
  transaction.commit();
}

/// Once: what changes a schema makes those who read wait.
void Ledger::put_views() {
  const std::string wanted = fmt::format("CREATE VIEW tunings AS {}", tunings_query);
  Statement now = database_.prepare("SELECT sql FROM sqlite_master WHERE name = 'tunings'");
  if (now.step() && now.text(0) == wanted) return;
  database_.execute(fmt::format(views, tunings_query, fmt::format(results_format, "tunings")));
}

std::string results_query() {
  return fmt::format(results_format, fmt::format("({}) AS tunings", tunings_query));
}

bool Ledger::holds() {
  Statement check = database_.prepare("PRAGMA integrity_check(1)");
  if (!check.step() || check.text(0) != "ok") return false;
  return !new_ && records_.hold();
}

bool Ledger::agrees_with(const std::string& folder) {
  for (const RecordKind kind : all_record_kinds) {
    const auto seals = records_.seals(kind);
    for (const std::string& key : recorded_keys(folder, kind)) {
      const std::string recorded = recorded_hash(record_file(folder, kind, key));
      const auto sealed = seals.find(key);
      if (!recorded.empty() && (sealed == seals.end() || sealed->second != recorded)) return false;
    }
  }
  const auto ended = cells_where("status IN ('done', 'failed')");
  return std::all_of(ended.begin(), ended.end(), [&](const std::string& cell) {
    return !recorded_hash(record_file(folder, RecordKind::cell, cell)).empty();
  });
}

std::size_t Ledger::take_records(const std::string& folder) {
  Transaction transaction(database_);
  for (const RecordKind kind : all_record_kinds) {
    const auto seals = records_.seals(kind);
    for (const std::string& key : recorded_keys(folder, kind)) take(folder, kind, key, seals);
  }
  for (const std::string& cell : cells_where("status IN ('done', 'failed')")) {
    if (recorded_hash(record_file(folder, RecordKind::cell, cell)).empty()) put_off(cell);
  }
  lay_out_cells();
  put_index_in_order();
  const std::size_t ended = cells_where("status IN ('done', 'failed')").size();
  transaction.commit();
  return ended;
}

void Ledger::take_outline(const std::string& folder) {
  Transaction transaction(database_);
  for (const RecordKind kind : {RecordKind::study, RecordKind::places, RecordKind::tuning}) {
    for (const std::string& key : recorded_keys(folder, kind))
      records_.restore(kind, key, record_file(folder, kind, key));
  }
  transaction.commit();
}

void Ledger::take_record(const std::string& folder, RecordKind kind, const std::string& key) {
  Transaction transaction(database_);
  records_.restore(kind, key, record_file(folder, kind, key));
  transaction.commit();
}

void Ledger::take(const std::string& folder, RecordKind kind, const std::string& key,
                  const std::map<std::string, std::string>& seals) {
  const std::string file = record_file(folder, kind, key);
  const auto sealed = seals.find(key);
  if (sealed != seals.end() && sealed->second == recorded_hash(file)) return;
  records_.restore(kind, key, file);
}

/// Cells that stand in a place and have no record: what they are made of is not known here.
void Ledger::lay_out_cells() {
  const auto bare = cells_where("sha256 = ''");
  database_.execute(
      "INSERT INTO cells (cell, sha256, status) SELECT DISTINCT cell, '', 'pending' FROM points "
      "WHERE cell NOT IN (SELECT cell FROM cells)");
  const std::set<std::string> before(bare.begin(), bare.end());
  for (const std::string& cell : cells_where("sha256 = ''")) {
    if (!before.contains(cell)) records_.seal(RecordKind::cell, cell);
  }
}

std::vector<std::string> Ledger::cells_where(const std::string& condition) {
  std::vector<std::string> found;
  Statement all = database_.prepare("SELECT cell FROM cells WHERE " + condition);
  while (all.step()) found.push_back(all.text(0));
  return found;
}

/// Seals the rows and writes the record, before the transaction ends: a record without its row is
/// taken when the study goes on.
void Ledger::keep(RecordKind kind, const std::string& key) {
  const std::string text = records_.seal(kind, key);
  if (folder_.empty()) return;
  const std::string file = record_file(folder_, kind, key);
  written([&] {
    std::error_code error;
    fs::create_directories(fs::path(file).parent_path(), error);
    if (error) throw WriteError(file, error.value());
    write_shared_file(file, text, Flush::later);
  });
}

/// Of the index what has a record, and no more.
void Ledger::put_index_in_order() {
  if (folder_.empty()) return;
  const auto known = statuses();
  EndStatuses indexed = indexed_ends(folder_);
  for (const auto& [cell, found] : known) {
    const bool has_ended = found.status == CellStatus::done || found.status == CellStatus::failed;
    const auto one = indexed.find(cell);
    if (has_ended && (one == indexed.end() || one->second != found.status)) {
      forget_end(folder_, cell);
      written([&, &id = cell, status = found.status] { index_end(folder_, id, status); });
    }
    if (has_ended && one != indexed.end()) indexed.erase(one);
  }
  for (const auto& [cell, status] : indexed) forget_end(folder_, cell);
}

std::map<std::string, std::string> Ledger::places() {
  std::map<std::string, std::string> found;
  Statement all = database_.prepare("SELECT label, cell FROM points");
  while (all.step()) found[all.text(0)] = all.text(1);
  return found;
}

void Ledger::lay_out(const std::vector<LedgerPoint>& points, const std::vector<std::string>& cells,
                     const std::function<LedgerCell(std::size_t)>& describe) {
  Transaction transaction(database_);
  const auto known_cells = cells_where("sha256 <> ''");
  const std::set<std::string> known(known_cells.begin(), known_cells.end());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (!known.contains(cells[k])) insert(describe(k));
  }
  place(points);
  keep(RecordKind::places, "");
  transaction.commit();
}

void Ledger::add_cell(const LedgerCell& cell) {
  Transaction transaction(database_);
  insert(cell);
  transaction.commit();
}

void Ledger::insert(const LedgerCell& cell) {
  database_
      .prepare(
          "INSERT INTO cells (cell, sha256, status, class, ingredients, manifest) "
          "VALUES (?1, ?2, 'pending', ?3, ?4, ?5) ON CONFLICT (cell) DO UPDATE SET "
          "sha256 = ?2, class = ?3, ingredients = ?4, manifest = ?5")
      .bind(1, cell.cell)
      .bind(2, cell.sha256)
      .bind(3, cell.certificate)
      .bind(4, cell.ingredients)
      .bind(5, cell.manifest)
      .run();
  records_.seal(RecordKind::cell, cell.cell);
}

void Ledger::place(const std::vector<LedgerPoint>& points) {
  database_.execute("DELETE FROM points");
  Statement add = database_.prepare(
      "INSERT INTO points (place, label, model, variant, seed, axes, cell) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  Statement remember = database_.prepare(
      "INSERT INTO history (label, number, cell, since) "
      "SELECT ?1, 1 + coalesce((SELECT max(number) FROM history WHERE label = ?1), 0), ?2, ?3 "
      "WHERE ?2 IS NOT (SELECT cell FROM history WHERE label = ?1 ORDER BY number DESC LIMIT 1)");
  const std::string now = timestamp();
  std::int64_t number = 0;
  for (const LedgerPoint& point : points) {
    add.bind(1, ++number).bind(2, point.label).bind(3, point.model).bind(4, point.variant);
    add.bind(5, point.seed).bind(6, point.axes).bind(7, point.cell).run();
    remember.bind(1, point.label).bind(2, point.cell).bind(3, now).run();
  }
}

std::map<std::string, LedgerStatus> Ledger::statuses() {
  std::map<std::string, LedgerStatus> found;
  Statement all = database_.prepare("SELECT cell, status, reason FROM cells");
  while (all.step()) {
    found[all.text(0)] = {cell_status_from(all.text(1)), all.text(2)};
  }
  return found;
}

void Ledger::reopen(bool failed) {
  Transaction transaction(database_);
  for (const std::string& cell : cells_where("status = 'running'")) put_off(cell);
  if (failed) {
    for (const std::string& cell :
         cells_where("status = 'failed' AND cell IN (SELECT cell FROM points)")) {
      database_.prepare("UPDATE cells SET reason = NULL WHERE cell = ?1").bind(1, cell).run();
      put_off(cell);
    }
  }
  transaction.commit();
}

void Ledger::put_off(const std::string& cell) {
  database_.prepare("UPDATE cells SET status = 'pending' WHERE cell = ?1").bind(1, cell).run();
  forget(cell);
}

/// A cell that has not ended has no record.
void Ledger::forget(const std::string& cell) {
  records_.seal(RecordKind::cell, cell);
  if (folder_.empty()) return;
  forget_end(folder_, cell);
  ::unlink(record_file(folder_, RecordKind::cell, cell).c_str());
}

void Ledger::write(const std::vector<LedgerEvent>& events) {
  if (events.empty()) return;
  Transaction transaction(database_);
  for (const LedgerEvent& event : events) {
    if (event.status == CellStatus::running) {
      start(event.cell);
    } else if (event.status == CellStatus::pending) {
      put_off(event.cell);
    } else {
      end(event);
    }
  }
  transaction.commit();
}

void Ledger::start(const std::string& cell) {
  database_
      .prepare(
          "UPDATE cells SET status = 'running', started_at = ?2, attempts = attempts + 1, "
          "reason = NULL WHERE cell = ?1")
      .bind(1, cell)
      .bind(2, timestamp())
      .run();
  forget(cell);
}

void Ledger::end(const LedgerEvent& event) {
  const CellFigures figures = event.figures.value_or(CellFigures());
  Statement row = database_.prepare(
      "UPDATE cells SET status = ?2, reason = ?3, ended_at = ?4, min_ess = ?5, min_ess_mcse = ?6, "
      "gradients = ?7, seconds = ?8, warmup_gradients = ?9, warmup_seconds = ?10, "
      "cell_seconds = ?11, draws_sha256 = ?12, host = ?13, versions = ?14, curve = ?15, "
      "summary = ?16, run = ?17, outcome = ?18, class = coalesce(?19, class), draws = ?20 "
      "WHERE cell = ?1");
  row.bind(1, event.cell).bind(2, std::string(to_string(event.status)));
  row.bind_or_null(3, event.reason).bind(4, timestamp());
  row.bind(5, figures.min_ess).bind(6, figures.min_ess_mcse);
  row.bind(7, figures.gradients.sampling).bind(8, figures.seconds.sampling);
  row.bind(9, figures.gradients.warmup).bind(10, figures.seconds.warmup);
  row.bind(11, figures.cell_seconds).bind_or_null(12, figures.draws_sha256);
  row.bind_or_null(13, figures.host).bind_or_null(14, figures.versions);
  row.bind_or_null(15, curve_text(figures.errors.curve));
  row.bind_or_null(16, figures.summary).bind_or_null(17, figures.run);
  if (event.figures) {
    row.bind(18, std::string(to_string(figures.ended_by)));
    row.bind(19, std::string(to_string(figures.certificate))).bind(20, figures.draws);
  } else {
    row.bind_null(18).bind_null(19).bind_null(20);
  }
  row.run();
  database_.prepare("DELETE FROM metrics WHERE cell = ?1").bind(1, event.cell).run();
  add_metrics(event.cell, figures.metrics);
  add_errors(event.cell, figures.errors);
  keep(RecordKind::cell, event.cell);
  if (!folder_.empty()) written([&] { index_end(folder_, event.cell, event.status); });
}

void Ledger::add_metrics(const std::string& cell, const std::vector<CellMetric>& metrics) {
  Statement add =
      database_.prepare("INSERT INTO metrics (cell, name, value, mcse) VALUES (?1, ?2, ?3, ?4)");
  for (const CellMetric& metric : metrics)
    add.bind(1, cell).bind(2, metric.name).bind(3, metric.value).bind(4, metric.mcse).run();
}

/// With the id of what the cell was compared with.
void Ledger::add_errors(const std::string& cell, const ReferenceErrors& errors) {
  add_metrics(cell, last_errors(errors));
  database_.prepare("DELETE FROM compared WHERE cell = ?1").bind(1, cell).run();
  if (errors.reference.empty()) return;
  database_.prepare("INSERT INTO compared (cell, reference) VALUES (?1, ?2)")
      .bind(1, cell)
      .bind(2, errors.reference)
      .run();
}

std::map<std::string, std::string> Ledger::compared() {
  std::map<std::string, std::string> found;
  Statement all = database_.prepare("SELECT cell, reference FROM compared");
  while (all.step()) found[all.text(0)] = all.text(1);
  return found;
}

void Ledger::compare(const std::string& cell, const ReferenceErrors& errors) {
  Transaction transaction(database_);
  database_.prepare("UPDATE cells SET curve = ?2 WHERE cell = ?1")
      .bind(1, cell)
      .bind_or_null(2, curve_text(errors.curve))
      .run();
  Statement forget = database_.prepare("DELETE FROM metrics WHERE cell = ?1 AND name = ?2");
  for (const char* const metric : error_metrics)
    forget.bind(1, cell).bind(2, std::string(metric)).run();
  add_errors(cell, errors);
  keep(RecordKind::cell, cell);
  transaction.commit();
}

void Ledger::set(const std::string& key, const std::string& value) {
  Transaction transaction(database_);
  database_.prepare("INSERT OR REPLACE INTO study (key, value) VALUES (?1, ?2)")
      .bind(1, key)
      .bind(2, value)
      .run();
  keep(RecordKind::study, "");
  transaction.commit();
}

std::string Ledger::get(const std::string& key) {
  Statement one = database_.prepare("SELECT value FROM study WHERE key = ?1");
  one.bind(1, key);
  return one.step() ? one.text(0) : "";
}

std::string Ledger::known_hash(const std::string& path, std::int64_t size,
                               std::int64_t changed_ns) {
  Statement one = database_.prepare(
      "SELECT sha256 FROM files WHERE path = ?1 AND size = ?2 AND changed_ns = ?3");
  one.bind(1, path).bind(2, size).bind(3, changed_ns);
  return one.step() ? unsealed(one.text(0), fmt::format("{} {} {}", path, size, changed_ns)) : "";
}

void Ledger::know_hash(const std::string& path, std::int64_t size, std::int64_t changed_ns,
                       const std::string& sha256) {
  database_
      .prepare(
          "INSERT OR REPLACE INTO files (path, size, changed_ns, sha256) VALUES (?1, ?2, ?3, ?4)")
      .bind(1, path)
      .bind(2, size)
      .bind(3, changed_ns)
      .bind(4, sealed(sha256, fmt::format("{} {} {}", path, size, changed_ns)))
      .run();
}

std::optional<CellPlan> Ledger::known_plan(const std::string& key) {
  Statement one = database_.prepare("SELECT answer FROM plans WHERE key = ?1");
  one.bind(1, key);
  const std::string text = one.step() ? unsealed(one.text(0), key) : "";
  if (text.empty()) return std::nullopt;
  return plan_from(text);
}

void Ledger::know_plans(const std::vector<std::pair<std::string, CellPlan>>& plans) {
  Transaction transaction(database_);
  Statement add = database_.prepare("INSERT OR REPLACE INTO plans (key, answer) VALUES (?1, ?2)");
  for (const auto& [key, plan] : plans)
    add.bind(1, key).bind(2, sealed(plan_text(plan), key)).run();
  transaction.commit();
}

std::optional<double> Ledger::known_score(const std::string& tuning, std::int64_t rung,
                                          std::int64_t candidate) {
  Statement one = database_.prepare(
      "SELECT score FROM tune WHERE tuning = ?1 AND rung = ?2 AND candidate = ?3");
  one.bind(1, tuning).bind(2, rung).bind(3, candidate);
  if (!one.step()) return std::nullopt;
  return one.number(0);
}

double Ledger::spent(const std::string& tuning, std::int64_t rung) {
  Statement one =
      database_.prepare("SELECT total(gradients) FROM tune WHERE tuning = ?1 AND rung < ?2");
  one.bind(1, tuning).bind(2, rung);
  return one.step() ? one.number(0) : 0.0;
}

void Ledger::know_trial(const std::string& tuning, const StudyTrial& trial) {
  Transaction transaction(database_);
  Statement add = database_.prepare(
      "INSERT OR REPLACE INTO tune (tuning, rung, candidate, model, variant, axes, \"values\", "
      "objective, score, gradients, seconds, reason) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  add.bind(1, tuning).bind(2, trial.rung).bind(3, trial.candidate);
  add.bind(4, trial.model).bind(5, trial.variant).bind(6, trial.axes).bind(7, trial.values);
  add.bind(8, trial.objective).bind(9, trial.score).bind(10, trial.gradients);
  add.bind(11, trial.seconds).bind_or_null(12, trial.reason).run();
  keep(RecordKind::tuning, tuning);
  transaction.commit();
}

void Ledger::choose(const std::string& tuning, std::int64_t rung, std::int64_t candidate) {
  Transaction transaction(database_);
  database_.prepare("UPDATE tune SET winner = (rung = ?2 AND candidate = ?3) WHERE tuning = ?1")
      .bind(1, tuning)
      .bind(2, rung)
      .bind(3, candidate)
      .run();
  keep(RecordKind::tuning, tuning);
  transaction.commit();
}

bool Ledger::has_chosen(const std::string& tuning) {
  Statement one = database_.prepare("SELECT count(*) FROM tune WHERE tuning = ?1 AND winner = 1");
  one.bind(1, tuning);
  return one.step() && one.integer(0) > 0;
}

}  // namespace mixwell::study
