// How processes share out the cells of one study, on one machine or on many: by claims, files in a
// folder that all of them see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.hpp"
#include "study/records.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/study.hpp>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace mixwell::study {

/// A claim is the file NAME/NUMBER, made by link(2), of which one of several succeeds, on NFS too.
/// It says who holds it. As long as its holder lives, a thread touches it `beats` times in every
/// `dead_after` seconds. A claim is dead if it was not touched for so long, by the clock of the
/// file system, or if its process was on this machine and is gone; who takes a dead one over makes
/// NUMBER + 1 and removes NUMBER, so that a holder that was only halted finds that it has lost it.
///
/// Of two processes that ask at once none or one gets it, never both: each makes its file first and
/// looks for others after that.

/// This process, as claims name it: host, process number, job.
std::string claimant();

class MIXWELL_EXPORT Claims {
 public:
  static constexpr double beats = 8.0;

  /// Makes `folder` when it is first needed.
  Claims(std::string folder, double dead_after);
  /// Gives up all that are held.
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  /// Whether this process holds it from now on. About ten calls of the file system; two where
  /// another is known to hold it. Throws WriteError.
  bool take(const std::string& name);
  void release(const std::string& name);
  /// Whether another has taken over what was held here.
  bool is_lost(const std::string& name) const;

  /// Who holds it, "process 17 on n1 (job 3_1)"; nothing where nobody does or the claim is dead.
  std::optional<std::string> holder(const std::string& name);
  /// Which of the claims on NAME this one is, counted from 1, where each one before has died; 1 for
  /// what is not held here.
  std::int64_t number(const std::string& name) const;

  /// What is claimed by somebody alive, as far as this machine can tell.
  struct ClaimedWork {
    std::string since;
    std::int64_t number = 0;
  };
  std::map<std::string, ClaimedWork> at_work() const;
  /// Whether its holder, if it has one, has missed two beats: it may be dead.
  bool is_quiet(const std::string& name);

 private:
  struct FoundClaim;

  std::string folder_of(const std::string& name) const { return folder_ + "/" + name; }
  double now() const;
  std::string write_own(const std::string& folder);
  void make(const std::string& folder) const;
  bool is_alive(const FoundClaim& found) const;
  void hold(const std::string& name, const std::string& path);
  void keep_alive(const std::stop_token& stop);
  void touch_all();

  std::string folder_;
  double dead_after_;
  /// Of the file system, less that of this process; known after the first own file.
  std::optional<double> clock_offset_;
  mutable std::mutex mutex_;                 ///< for the next two
  std::map<std::string, std::string> held_;  ///< name, path
  std::set<std::string> lost_;
  std::condition_variable_any wake_;
  std::jthread heart_;  ///< last: it uses the others
};

/// ended/CELL.done or ended/CELL.failed, empty files. One is made after the record of its cell and
/// removed before it, so that a name says that there is a record. The records are the truth: who
/// leads the study puts this in order.
using EndStatuses = std::unordered_map<std::string, CellStatus>;

/// Some hundred calls of the file system for 10^5 cells, where their records are 10^5. Nothing
/// where there is no such folder.
MIXWELL_EXPORT EndStatuses indexed_ends(const std::string& folder);

/// Throws WriteError.
MIXWELL_EXPORT void index_end(const std::string& folder, const std::string& cell,
                              CellStatus status);
MIXWELL_EXPORT void forget_end(const std::string& folder, const std::string& cell);

enum class Turn {
  mine,    ///< claimed: to be run here, and given back when its record is written
  done,    ///< a record says so
  failed,  ///< likewise
  other,   ///< another process is at it
};

/// What two listings tell of all cells at once. It is old when it is read: a cell that is in
/// neither may have been begun since.
struct Surroundings {
  std::unordered_set<std::string> claimed;
  EndStatuses ended;
};

/// `folder`: of a study's results.
MIXWELL_EXPORT Surroundings surroundings_in(const std::string& folder);

/// The cells that processes are at now, as those who only read see them.
class CellsAtWork {
 public:
  explicit CellsAtWork(const std::string& folder);
  /// Puts into the row of a cell that has not ended that it runs, where it does; whether it does.
  bool show(StudyRow& row) const;

 private:
  std::map<std::string, Claims::ClaimedWork> all_;
};

/// What is known of the cells of a study, for those who only read.
class CellsNow {
 public:
  CellsNow(const std::string& folder, LongTexts texts)
      : folder_(folder), texts_(texts), pending_(read_pending(folder, texts)), at_work_(folder) {}

  /// By its record, or by what is pending where there is no whole one. Throws InputError.
  CellRecord read(const std::string& cell, bool* is_damaged = nullptr) const;

 private:
  std::string folder_;
  LongTexts texts_;
  std::map<std::string, CellRow> pending_;
  CellsAtWork at_work_;
};

class Shares {
 public:
  /// `folder`: of the study's results.
  Shares(const std::string& folder, double dead_after)
      : folder_(folder), claims_(folder + "/claims", dead_after) {}

  /// `needs_draws`: done only if it has kept them. Throws WriteError where a claim cannot be made.
  Turn ask(const std::string& cell, bool needs_draws);
  Claims& claims() noexcept { return claims_; }

  /// Removes the folder of the claims where nobody holds one.
  void tidy();

 private:
  /// `mine` where it has not ended.
  Turn ended(const std::string& cell, bool needs_draws) const;

  std::string folder_;
  Claims claims_;
};

}  // namespace mixwell::study
