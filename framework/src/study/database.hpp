// study.sqlite: what the records of a study say, for those who read SQL.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <chrono>
#include <future>
#include <string>

namespace mixwell::study {

/// Writes study.sqlite from the records in that folder, beside it first: who reads it has the whole
/// of the one before or the whole of this one. Throws WriteError, and InputError for what is no
/// file in its place and for a record that no study has written.
MIXWELL_EXPORT void write_database(const std::string& folder);

/// Throws InputError where a study must not write one: if something that is no file has its name,
/// or if there is a database and no record of a study beside it.
void check_database_place(const std::string& folder);

/// Keeps study.sqlite near the records while a study changes them, in a thread of its own.
class DatabaseKeeper {
 public:
  explicit DatabaseKeeper(std::string folder) : folder_(std::move(folder)) {}
  /// Waits for what is being written.
  ~DatabaseKeeper() = default;
  DatabaseKeeper(const DatabaseKeeper&) = delete;
  DatabaseKeeper& operator=(const DatabaseKeeper&) = delete;

  /// The records are others than before.
  void changed() noexcept { is_behind_ = true; }
  /// Begins to write it where it is behind and time has come: not within 10 s after the last time,
  /// nor within twenty times what that took. A disk that is full is left to `finish`.
  void look();
  /// Writes it now, unless it is as the records are. Throws as write_database.
  void finish();

 private:
  void compare();
  void take_result();

  std::string folder_;
  bool is_behind_ = false;
  bool is_compared_ = false;     ///< with what an earlier process has left
  std::future<double> writing_;  ///< the seconds that it took
  std::chrono::steady_clock::time_point not_before_{};
};

}  // namespace mixwell::study
