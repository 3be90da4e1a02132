// Writes study.sqlite, a copy of a study's records that can be queried with SQL.
// SPDX-License-Identifier: Apache-2.0
#include "study/database.hpp"

#include "base/clock.hpp"
#include "base/host.hpp"
#include "files/reading.hpp"
#include "files/whole_file.hpp"
#include "study/claims.hpp"
#include "study/records.hpp"
#include "system/system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

/// Quotes the name of a table or a column for SQL.
std::string sql_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

template <class T>
const char* sql_type(const T&) {
  return std::is_same_v<T, double> ? "REAL" : std::is_integral_v<T> ? "INTEGER" : "TEXT";
}
template <class T>
const char* sql_type(const std::optional<T>&) {
  return sql_type(T());
}

/// A table with the columns of a row of records.
template <class Row>
std::string table_of(const char* name, const char* key) {
  std::string columns;
  const Row row{};
  each_column(parts(row), [&](std::string_view column, const auto& value) {
    columns += fmt::format("{} {}, ", sql_name(std::string(column)), sql_type(value));
  });
  return fmt::format("CREATE TABLE {} ({}PRIMARY KEY ({}));\n", name, columns, key);
}

std::string schema() {
  return R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA user_version = 2;
BEGIN;
)" + table_of<CellRow>("cells", "cell") +
         table_of<MetricRow>("metrics", "cell, name") + table_of<ComparedRow>("compared", "cell") +
         table_of<StudyPlace>("points", "place") + table_of<PastCell>("history", "label, number") +
         table_of<TrialRow>("tune", "tuning, rung, candidate") +
         table_of<TuningSum>("tunings", "tuning") + R"(
CREATE INDEX points_cell ON points (cell);
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, changed_ns INTEGER, sha256 TEXT);
CREATE TABLE plans (key TEXT PRIMARY KEY, answer TEXT);
CREATE TABLE seals (kind TEXT, key TEXT, sha256 TEXT, PRIMARY KEY (kind, key));
CREATE VIEW results AS
  SELECT points.place, points.label, points.model, points.variant, points.seed, points.axes,
         tunings.tuned, cells.*
  FROM points JOIN cells USING (cell) LEFT JOIN tunings USING (model, variant, axes);
)";
}

/// A new database that is being written.
class NewDatabase {
 public:
  explicit NewDatabase(std::string path) : path_(std::move(path)) {
    ::unlink(path_.c_str());
    sqlite3* opened = nullptr;
    const int code = sqlite3_open(path_.c_str(), &opened);
    database_.reset(opened);
    check(code);
  }

  void execute(const std::string& sql) {
    check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
  }

  /// Inserts a row. Names and types must match the table.
  void insert(const char* table, const Json& row) {
    sqlite3_stmt* const statement = insertion(table, row);
    int place = 0;
    for (const auto& [name, value] : row.items()) bind(statement, ++place, value);
    const int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    check(code == SQLITE_DONE ? SQLITE_OK : code);
  }

 private:
  using StatementPointer = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

  /// Returns the statement that inserts rows with these columns. Statements are stored, because
  /// most rows of a table have the same columns.
  sqlite3_stmt* insertion(const char* table, const Json& row) {
    std::string key = table;
    for (const auto& [name, value] : row.items()) key += " " + name;
    const auto [found, is_new] = statements_.try_emplace(key, nullptr, &sqlite3_finalize);
    if (is_new) found->second.reset(prepared(table, row));
    return found->second.get();
  }

  sqlite3_stmt* prepared(const char* table, const Json& row) {
    std::vector<std::string> names;
    for (const auto& [name, value] : row.items()) names.push_back(sql_name(name));
    const std::string sql =
        fmt::format("INSERT INTO {} ({}) VALUES ({})", sql_name(table), fmt::join(names, ", "),
                    fmt::join(std::vector<char>(names.size(), '?'), ", "));
    sqlite3_stmt* made = nullptr;
    check(sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &made, nullptr));
    return made;
  }

  static void bind(sqlite3_stmt* statement, int place, const Json& value) {
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()),
                        SQLITE_TRANSIENT);
    } else if (value.is_number_integer()) {
      sqlite3_bind_int64(statement, place, value.get<std::int64_t>());
    } else if (!value.is_null()) {
      double number = 0.0;
      read_column(value, number);
      sqlite3_bind_double(statement, place, number);
    } else {
      sqlite3_bind_null(statement, place);
    }
  }

  void check(int code) const {
    if (code == SQLITE_OK) return;
    const int system = database_ == nullptr ? ENOMEM : sqlite3_system_errno(database_.get());
    switch (code & 0xff) {
      case SQLITE_FULL:
        throw WriteError(path_, ENOSPC);
      case SQLITE_IOERR:
      case SQLITE_CANTOPEN:
        throw WriteError(path_, system == 0 ? EIO : system);
      default:
        throw Json::other_error::create(501, sqlite3_errmsg(database_.get()), nullptr);
    }
  }

  std::string path_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_{nullptr, &sqlite3_close_v2};
  std::map<std::string, StatementPointer> statements_;
};

class DatabaseWriter {
 public:
  DatabaseWriter(const std::string& folder, const std::string& path)
      : folder_(folder), database_(path), at_work_(folder) {}

  void write() {
    database_.execute(schema());
    for (const RecordKind kind : {RecordKind::study, RecordKind::places, RecordKind::tuning,
                                  RecordKind::cell, RecordKind::pending}) {
      for (const std::string& key : recorded_keys(folder_, kind)) take(kind, key);
    }
    const Outline outline = read_outline(folder_);
    for (const TuningSum& sum : outline.sums()) database_.insert("tunings", json_of_row(sum));
    // Inserts a row for each cell that has neither a record nor a pending entry. The ingredients of
    // such cells are unknown.
    for (const StudyPlace& place : outline.places)
      if (!cells_.contains(place.cell))
        insert_cell({{"cell", place.cell}, {"sha256", ""}, {"status", "pending"}, {"attempts", 0}});
    database_.execute("COMMIT");
  }

 private:
  void take(RecordKind kind, const std::string& key) {
    const std::string file = record_file(folder_, kind, key);
    const RecordFile record = read_record(file);
    if (record.rows.empty()) return;
    try {
      const Json tables = parse_json(record.rows);
      for (const auto& [table, rows] : tables.items())
        for (const Json& row : rows) insert(kind, table, row);
      database_.insert("seals",
                       {{"kind", kind_name(kind)}, {"key", key}, {"sha256", record.sha256}});
    } catch (const Json::exception& fault) {
      refuse_record(file, fault.what());
    }
  }

  /// Inserts a row. The record of a cell takes precedence over its pending entry.
  void insert(RecordKind kind, const std::string& table, const Json& row) {
    if (table != "cells") return database_.insert(table.c_str(), row);
    const bool is_known =
        kind == RecordKind::pending && cells_.contains(row.at("cell").get<std::string>());
    if (!is_known) insert_cell(row);
  }

  /// Inserts the row of a cell. A claim on a cell that has ended does not count, because the holder
  /// is about to release the claim.
  void insert_cell(Json row) {
    StudyRow shown;
    row.at("cell").get_to(shown.cell);
    read_column(row.at("status"), shown.status);
    shown.attempts = row.value("attempts", std::int64_t{0});
    cells_.insert(shown.cell);
    if (at_work_.show(shown)) {
      row["status"] = to_string(shown.status);
      row["started_at"] = shown.started_at;
      row["attempts"] = shown.attempts;
    }
    database_.insert("cells", row);
  }

  std::string folder_;
  NewDatabase database_;
  CellsAtWork at_work_;
  std::set<std::string> cells_;
};

/// Suffixes of the database file and of the files that SQLite keeps next to it.
constexpr std::array companions = {"", "-wal", "-shm", "-journal"};

std::string database_file(const std::string& folder) { return folder + "/study.sqlite"; }

std::int64_t change_of(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return 0;
  const timespec changed = contents_changed(found);
  return changed.tv_sec * std::int64_t{1000000000} + changed.tv_nsec;
}

/// The time when records were last written or removed, in ns since 1970. Includes the records of
/// cells, because each change of such a record also changes the index `ended`.
std::int64_t last_change(const std::string& folder) {
  std::int64_t last = 0;
  for (const char* const name : {"ended", "tune", "study.json", "places.json", "pending.json"})
    last = std::max(last, change_of(folder + "/" + name));
  return last;
}

/// Sets the time of the database to the time of the last change that the database contains. Any
/// later change has another time. Does nothing within a second of the change, because a later
/// change may then have the same time.
void stamp(const std::string& path, std::int64_t change) {
  constexpr std::int64_t second = 1000000000;
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec * second + now.tv_nsec < change + second) return;
  const timespec time{change / second, change % second};
  const std::array<timespec, 2> times{time, time};
  ::utimensat(AT_FDCWD, path.c_str(), times.data(), 0);
}

}  // namespace

void check_database_place(const std::string& folder) {
  const std::string file = database_file(folder);
  for (const char* const companion : companions) {
    const std::string path = file + companion;
    if (!fs::exists(fs::symlink_status(path))) continue;
    if (const std::string why = why_no_file(path); !why.empty())
      throw InputError({path, 0, 0},
                       why +
                           ", but a study needs this path for its database. Move this file or "
                           "folder away, or choose another folder with --out.");
  }
  std::error_code none;
  if (fs::exists(file) && fs::file_size(file, none) > 0 && !has_records(folder)) {
    throw InputError({file, 0, 0},
                     "this folder has a database, but no records of a study. Move the database "
                     "away, or choose another folder with --out.");
  }
}

void write_database(const std::string& folder) {
  const std::string path = database_file(folder);
  const std::string partial = fmt::format("{}.partial-{}-{}", path, host_name(), ::getpid());
  check_database_place(folder);
  const std::int64_t change = last_change(folder);
  try {
    read_study(folder, [&] { return DatabaseWriter(folder, partial).write(); });
    // SQLite would read journal files of an earlier database as part of the new one.
    for (const char* const companion : companions)
      if (*companion != '\0') ::unlink((path + companion).c_str());
    stamp(partial, change);
    if (::rename(partial.c_str(), path.c_str()) != 0) throw WriteError(path, errno);
  } catch (...) {
    ::unlink(partial.c_str());
    throw;
  }
}

void DatabaseKeeper::compare() {
  if (std::exchange(is_compared_, true)) return;
  const std::int64_t change = change_of(database_file(folder_));
  is_behind_ = is_behind_ || change == 0 || change != last_change(folder_);
}

void DatabaseKeeper::look() {
  using namespace std::chrono_literals;
  compare();
  if (writing_.valid()) {
    if (writing_.wait_for(0s) == std::future_status::ready) take_result();
    return;
  }
  if (!is_behind_ || Clock::now() < not_before_) return;
  is_behind_ = false;
  writing_ = std::async(std::launch::async, [folder = folder_] {
    const auto start = Clock::now();
    write_database(folder);
    return seconds_since(start);
  });
}

void DatabaseKeeper::take_result() {
  constexpr double least_pause = 10.0;
  constexpr double share = 20.0;
  double seconds = 0.0;
  try {
    seconds = writing_.get();
  } catch (const WriteError&) {
    is_behind_ = true;  // ignored here; finish() reports the error if it persists
  }
  not_before_ =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::max(least_pause, share * seconds)));
}

void DatabaseKeeper::finish() {
  compare();
  if (writing_.valid()) take_result();
  if (is_behind_) write_database(folder_);
  is_behind_ = false;
}

}  // namespace mixwell::study
