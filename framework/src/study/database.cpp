// SQLite as the ledger of studies needs it.
// SPDX-License-Identifier: Apache-2.0
#include "study/database.hpp"

#include "files/input_descriptor.hpp"

#include <mixwell/error.hpp>

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

namespace mixwell::study {
namespace {

constexpr int patience_ms = 10000;  // with readers and other writers

DatabaseError::Cause cause_of(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return DatabaseError::Cause::disk;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // a table or column is not there
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return DatabaseError::Cause::damage;
    default:
      return DatabaseError::Cause::other;
  }
}

/// "study.sqlite" for one that is in memory alone.
std::string file_of(sqlite3* database) {
  const char* const path = database == nullptr ? "" : sqlite3_db_filename(database, "main");
  return path == nullptr || *path == '\0' ? "study.sqlite" : path;
}

[[noreturn]] void fail(sqlite3* database) {
  const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database);
  throw DatabaseError(
      fmt::format(
          "the ledger {} cannot be used: {}; what has ended is kept in the "
          "folders of the cells, and the same command goes on from there",
          file_of(database),
          cause_of(code) == DatabaseError::Cause::damage ? "it is damaged" : sqlite3_errstr(code)),
      cause_of(code));
}

/// SQLite would wait for a pipe, and for what it keeps beside the ledger.
void refuse_no_files(const std::string& path) {
  for (const char* const suffix : {"", "-wal", "-shm", "-journal"}) {
    const std::string file = path + suffix;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    if (const std::string why = why_no_file(file); !why.empty())
      throw InputError({file, 0, 0}, why + ", where a study has its ledger; move it away");
  }
}

sqlite3* open(const std::string& path, Database::Access mode) {
  refuse_no_files(path);
  const int flags = mode == Database::Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                                    : SQLITE_OPEN_READWRITE;
  sqlite3* database = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  if (code != SQLITE_OK && mode == Database::Access::read) {
    sqlite3_close_v2(database);
    code = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  }
  if (code == SQLITE_OK) return database;
  const DatabaseError error(path + ": cannot be opened: " + sqlite3_errstr(code), cause_of(code));
  sqlite3_close_v2(database);
  throw error;
}

}  // namespace

DatabaseError::DatabaseError(const std::string& message, Cause cause)
    : RunError(message), cause_(cause) {}
DatabaseError::~DatabaseError() = default;

Statement::Statement(sqlite3* database, const std::string& sql)
    : statement_(nullptr, &sqlite3_finalize), database_(database) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &made, nullptr);
  statement_.reset(made);
  if (code != SQLITE_OK) fail(database);
}

void Statement::check(int code) {
  if (code == SQLITE_OK) return;
  sqlite3_reset(statement_.get());
  fail(database_);
}

Statement& Statement::bind(int place, const std::string& text) {
  check(sqlite3_bind_text(statement_.get(), place, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(int place, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), place, value));
  return *this;
}

Statement& Statement::bind(int place, double value) {
  if (std::isnan(value)) return bind_null(place);
  check(sqlite3_bind_double(statement_.get(), place, value));
  return *this;
}

Statement& Statement::bind_null(int place) {
  check(sqlite3_bind_null(statement_.get(), place));
  return *this;
}

Statement& Statement::bind_or_null(int place, const std::string& text) {
  return text.empty() ? bind_null(place) : bind(place, text);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) check(code);
  sqlite3_reset(statement_.get());
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

std::string Statement::name(int column) const {
  return sqlite3_column_name(statement_.get(), column);
}

Statement::Type Statement::type(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL:
      return Type::null;
    case SQLITE_INTEGER:
      return Type::integer;
    case SQLITE_FLOAT:
      return Type::real;
    default:
      return Type::text;
  }
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string Statement::text(int column) const {
  const auto* const bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return {reinterpret_cast<const char*>(bytes), size};
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::number(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                         : sqlite3_column_double(statement_.get(), column);
}

Database::Database(const std::string& path, Access mode)
    : database_(open(path, mode), &sqlite3_close_v2) {
  sqlite3_busy_timeout(database_.get(), patience_ms);
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(database_.get());
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {  // SQLite rolled it back already
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace mixwell::study
