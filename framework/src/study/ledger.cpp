// The ledger of a study: what its cells are, and what came of them.
// SPDX-License-Identifier: Apache-2.0
#include "study/ledger.hpp"

#include "base/clock.hpp"
#include "files/json.hpp"

#include <fmt/format.h>

#include <set>

namespace mixwell::study {
namespace {

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
CREATE VIEW IF NOT EXISTS results AS
  SELECT points.place, points.label, points.model, points.variant, points.seed, points.axes,
         cells.*
  FROM points JOIN cells USING (cell);
)";

/// Results are re-computed if a power cut takes the last of them; a killed process loses none.
constexpr const char* settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;";

std::string text_or_empty(const Json& answer, const char* key) {
  const auto found = answer.find(key);
  return found == answer.end() || !found->is_string() ? "" : found->get<std::string>();
}

std::optional<double> number_or_none(const Json& answer, const char* key) {
  const auto found = answer.find(key);
  if (found == answer.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

}  // namespace

Ledger::Ledger(const std::string& path, Database::Access mode) : database_(path, mode) {
  if (mode == Database::Access::write) database_.execute(settings);
  Statement version = database_.prepare("PRAGMA user_version");
  version.step();
  const std::int64_t found = version.integer(0);
  version.step();
  if (found != 0 && found != ledger_format) {
    throw InputError(
        fmt::format("{}: a ledger of format {}; this program reads format {}: choose "
                    "another folder with --out",
                    path, found, ledger_format));
  }
  if (mode == Database::Access::read) return;
  Transaction transaction(database_);
  database_.execute(schema);
  database_.execute(fmt::format("PRAGMA user_version = {}", ledger_format));
  transaction.commit();
}

void Ledger::lay_out(const std::vector<LedgerPoint>& points, const std::vector<LedgerCell>& cells) {
  Transaction transaction(database_);
  Statement add = database_.prepare(
      "INSERT INTO cells (cell, sha256, status, class, ingredients, manifest) "
      "VALUES (?1, ?2, 'pending', ?3, ?4, ?5) ON CONFLICT DO NOTHING");
  for (const LedgerCell& cell : cells) {
    add.bind(1, cell.cell).bind(2, cell.sha256).bind(3, cell.certificate);
    add.bind(4, cell.ingredients).bind(5, cell.manifest).run();
  }
  database_.execute("DELETE FROM points");
  Statement place = database_.prepare(
      "INSERT INTO points (place, label, model, variant, seed, axes, cell) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  Statement remember = database_.prepare(
      "INSERT INTO history (label, number, cell, since) "
      "SELECT ?1, 1 + coalesce((SELECT max(number) FROM history WHERE label = ?1), 0), ?2, ?3 "
      "WHERE ?2 IS NOT (SELECT cell FROM history WHERE label = ?1 ORDER BY number DESC LIMIT 1)");
  const std::string now = timestamp();
  std::int64_t number = 0;
  for (const LedgerPoint& point : points) {
    place.bind(1, ++number).bind(2, point.label).bind(3, point.model).bind(4, point.variant);
    place.bind(5, point.seed).bind(6, point.axes).bind(7, point.cell).run();
    remember.bind(1, point.label).bind(2, point.cell).bind(3, now).run();
  }
  transaction.commit();
}

std::map<std::string, LedgerStatus> Ledger::statuses() {
  std::map<std::string, LedgerStatus> found;
  Statement all = database_.prepare("SELECT cell, status, reason FROM cells");
  while (all.step()) found[all.text(0)] = {all.text(1), all.text(2)};
  return found;
}

void Ledger::reopen(bool failed) {
  Transaction transaction(database_);
  database_.execute("UPDATE cells SET status = 'pending' WHERE status = 'running'");
  if (failed) {
    database_.execute(
        "UPDATE cells SET status = 'pending', reason = NULL WHERE status = 'failed' AND cell IN "
        "(SELECT cell FROM points)");
  }
  transaction.commit();
}

void Ledger::write(const std::vector<LedgerEvent>& events) {
  if (events.empty()) return;
  Transaction transaction(database_);
  for (const LedgerEvent& event : events) {
    if (event.status == "running") {
      start(event.cell);
    } else if (event.status == "pending") {
      database_.prepare("UPDATE cells SET status = 'pending' WHERE cell = ?1")
          .bind(1, event.cell)
          .run();
    } else {
      end(event.cell, event.status, event.answer);
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
}

void Ledger::end(const std::string& cell, const std::string& status, const Json& answer) {
  Statement row = database_.prepare(
      "UPDATE cells SET status = ?2, reason = ?3, outcome = ?4, class = coalesce(?5, class), "
      "min_ess = ?6, min_ess_mcse = ?7, gradients = ?8, seconds = ?9, warmup_gradients = ?10, "
      "warmup_seconds = ?11, cell_seconds = ?12, draws = ?13, draws_sha256 = ?14, ended_at = ?15, "
      "host = ?16, versions = ?17, curve = ?18, summary = ?19, run = ?20 WHERE cell = ?1");
  row.bind(1, cell).bind(2, status);
  const auto text = [&](int place, const char* key) {
    const std::string value = text_or_empty(answer, key);
    value.empty() ? row.bind_null(place) : row.bind(place, value);
  };
  const auto number = [&](int place, const char* key) {
    row.bind(place, number_or_none(answer, key));
  };
  text(3, "reason");
  text(4, "outcome");
  text(5, "class");
  number(6, "min_ess");
  number(7, "min_ess_mcse");
  number(8, "gradients");
  number(9, "seconds");
  number(10, "warmup_gradients");
  number(11, "warmup_seconds");
  number(12, "cell_seconds");
  number(13, "draws");
  text(14, "draws_sha256");
  row.bind(15, timestamp());
  text(16, "host");
  text(17, "versions");
  text(18, "curve");
  text(19, "summary");
  text(20, "run");
  row.run();
  database_.prepare("DELETE FROM metrics WHERE cell = ?1").bind(1, cell).run();
  add_metrics(cell, answer);
}

/// With the id of what the cell was compared with.
void Ledger::add_metrics(const std::string& cell, const Json& answer) {
  if (answer.contains("metrics")) {
    Statement add =
        database_.prepare("INSERT INTO metrics (cell, name, value, mcse) VALUES (?1, ?2, ?3, ?4)");
    for (const auto& [name, metric] : answer.at("metrics").items()) {
      add.bind(1, cell).bind(2, name);
      add.bind(3, number_or_none(metric, "value")).bind(4, number_or_none(metric, "mcse")).run();
    }
  }
  const std::string reference = text_or_empty(answer, "reference");
  database_.prepare("DELETE FROM compared WHERE cell = ?1").bind(1, cell).run();
  if (reference.empty()) return;
  database_.prepare("INSERT INTO compared (cell, reference) VALUES (?1, ?2)")
      .bind(1, cell)
      .bind(2, reference)
      .run();
}

std::map<std::string, std::string> Ledger::compared() {
  std::map<std::string, std::string> found;
  Statement all = database_.prepare("SELECT cell, reference FROM compared");
  while (all.step()) found[all.text(0)] = all.text(1);
  return found;
}

void Ledger::compare(const std::string& cell, const Json& answer) {
  Transaction transaction(database_);
  const std::string curve = text_or_empty(answer, "curve");
  Statement row = database_.prepare("UPDATE cells SET curve = ?2 WHERE cell = ?1");
  row.bind(1, cell);
  curve.empty() ? row.bind_null(2) : row.bind(2, curve);
  row.run();
  database_
      .prepare("DELETE FROM metrics WHERE cell = ?1 AND name IN ('error_mean', 'error_covariance')")
      .bind(1, cell)
      .run();
  add_metrics(cell, answer);
  transaction.commit();
}

void Ledger::set(const std::string& key, const std::string& value) {
  database_.prepare("INSERT OR REPLACE INTO study (key, value) VALUES (?1, ?2)")
      .bind(1, key)
      .bind(2, value)
      .run();
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
  return one.step() ? one.text(0) : "";
}

void Ledger::know_hash(const std::string& path, std::int64_t size, std::int64_t changed_ns,
                       const std::string& sha256) {
  database_
      .prepare(
          "INSERT OR REPLACE INTO files (path, size, changed_ns, sha256) VALUES (?1, ?2, ?3, ?4)")
      .bind(1, path)
      .bind(2, size)
      .bind(3, changed_ns)
      .bind(4, sha256)
      .run();
}

std::string Ledger::known_plan(const std::string& key) {
  Statement one = database_.prepare("SELECT answer FROM plans WHERE key = ?1");
  one.bind(1, key);
  return one.step() ? one.text(0) : "";
}

void Ledger::know_plans(const std::vector<std::pair<std::string, std::string>>& plans) {
  Transaction transaction(database_);
  Statement add = database_.prepare("INSERT OR REPLACE INTO plans (key, answer) VALUES (?1, ?2)");
  for (const auto& [key, answer] : plans) add.bind(1, key).bind(2, answer).run();
  transaction.commit();
}

Json Ledger::known_trial(const std::string& tuning, int rung, int candidate) {
  Statement one = database_.prepare(
      "SELECT score, gradients, seconds, reason FROM tune "
      "WHERE tuning = ?1 AND rung = ?2 AND candidate = ?3");
  one.bind(1, tuning).bind(2, std::int64_t{rung}).bind(3, std::int64_t{candidate});
  if (!one.step()) return nullptr;
  Json trial = {{"score", nullptr}, {"gradients", one.number(1)}, {"seconds", one.number(2)}};
  if (!one.is_null(0)) trial["score"] = one.number(0);
  trial["reason"] = one.text(3);
  return trial;
}

void Ledger::know_trial(const std::string& tuning, const std::string& group, const Json& trial) {
  const Json place = parse_json(group);
  Statement add = database_.prepare(
      "INSERT OR REPLACE INTO tune (tuning, rung, candidate, model, variant, axes, \"values\", "
      "objective, score, gradients, seconds, reason) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  add.bind(1, tuning);
  add.bind(2, trial.at("rung").get<std::int64_t>());
  add.bind(3, trial.at("candidate").get<std::int64_t>());
  add.bind(4, place.at("model").get<std::string>());
  add.bind(5, place.at("variant").get<std::string>());
  add.bind(6, json_text(place.at("axes")));
  add.bind(7, json_text(trial.at("values")));
  add.bind(8, trial.at("objective").get<std::string>());
  add.bind(9, number_or_none(trial, "score"));
  add.bind(10, number_or_none(trial, "gradients"));
  add.bind(11, number_or_none(trial, "seconds"));
  const std::string reason = text_or_empty(trial, "reason");
  reason.empty() ? add.bind_null(12) : add.bind(12, reason);
  add.run();
}

void Ledger::choose(const std::string& tuning, int rung, int candidate) {
  database_.prepare("UPDATE tune SET winner = (rung = ?2 AND candidate = ?3) WHERE tuning = ?1")
      .bind(1, tuning)
      .bind(2, std::int64_t{rung})
      .bind(3, std::int64_t{candidate})
      .run();
}

}  // namespace mixwell::study
