// Writes study.sqlite, a copy of a study's records that can be queried with SQL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <chrono>
#include <future>
#include <string>

namespace mixwell::study {

/// Writes study.sqlite from the records in the folder. First writes a file with a temporary name,
/// so a reader always finds a complete database, old or new. Throws WriteError. Throws InputError
/// if study.sqlite exists but is not a file, or for a record that Mixwell did not write.
MIXWELL_EXPORT void write_database(const std::string& folder);

/// Throws InputError if a study must not write its database in `folder`. This is so if study.sqlite
/// exists but is not a file, or if there is a database but no records of a study.
void check_database_place(const std::string& folder);

/// Updates study.sqlite in its own thread while a study changes the records.
class DatabaseKeeper {
 public:
  explicit DatabaseKeeper(std::string folder) : folder_(std::move(folder)) {}
  /// Waits until a running update ends.
  ~DatabaseKeeper() = default;
  DatabaseKeeper(const DatabaseKeeper&) = delete;
  DatabaseKeeper& operator=(const DatabaseKeeper&) = delete;

  /// Reports that the records have changed.
  void changed() noexcept { is_behind_ = true; }
  /// Starts an update if the database is out of date. Waits after each update for 10 s or twenty
  /// times the duration of the update, whichever is longer. Ignores a full disk, because finish()
  /// reports it.
  void look();
  /// Updates the database now, if it is out of date. Throws the errors of write_database.
  void finish();

 private:
  void compare();
  void take_result();

  std::string folder_;
  bool is_behind_ = false;
  bool is_compared_ = false;     ///< whether the database of an earlier process was checked
  std::future<double> writing_;  ///< the duration of the update in seconds
  std::chrono::steady_clock::time_point not_before_{};
};

}  // namespace mixwell::study
