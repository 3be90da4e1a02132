// SQLite as the ledger of studies needs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/error.hpp>

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace mixwell::study {

/// What SQLite says went wrong.
class DatabaseError : public RunError {
 public:
  enum class Cause {
    disk,    ///< it is full or cannot be written: trying again later may help
    damage,  ///< the file is not what SQLite wrote
    other,
  };
  DatabaseError(const std::string& message, Cause cause);
  ~DatabaseError() override;
  bool is_disk() const noexcept { return cause_ == Cause::disk; }
  bool is_damage() const noexcept { return cause_ == Cause::damage; }

 private:
  Cause cause_;
};

/// A prepared statement, run again and again with other values.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql);

  /// Parameters are numbered from 1.
  Statement& bind(int place, const std::string& text);
  Statement& bind(int place, std::int64_t value);
  /// NaN = NULL; SQLite has a number for infinity, beyond all others.
  Statement& bind(int place, double value);
  Statement& bind_null(int place);
  /// "" = NULL.
  Statement& bind_or_null(int place, const std::string& text);
  /// The next row; false after the last one, when the statement is ready for other values.
  bool step();
  /// Runs it to its end.
  void run();

  enum class Type { null, integer, real, text };

  /// Columns are numbered from 0.
  int columns() const;
  std::string name(int column) const;
  Type type(int column) const;
  bool is_null(int column) const;
  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double number(int column) const;  ///< NaN for NULL

 private:
  void check(int code);
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
  sqlite3* database_;
};

class Database {
 public:
  enum class Access { write, read };

  /// Opens the file, in write mode made if it is not there. Throws DatabaseError.
  Database(const std::string& path, Access mode);

  void execute(const std::string& sql);
  Statement prepare(const std::string& sql) const { return {database_.get(), sql}; }

 private:
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
};

/// All between its making and `commit` is written as one, or not at all.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace mixwell::study
