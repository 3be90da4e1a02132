// Claims: how processes on one or more machines divide the cells of a study among themselves.
// Claims are files in a folder that all processes can read and write.
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

/// A claim is the file NAME/NUMBER. A process makes it with link(2), which succeeds for only one of
/// several processes, also on NFS. The file says who holds the claim. While the holder lives, one
/// of its threads touches the file `beats` times in every `dead_after` seconds. A claim is dead if
/// it was not touched for `dead_after` seconds by the clock of the file system, or if its process
/// ran on this machine and has ended. A process that takes over a dead claim creates the file
/// NUMBER + 1 and removes the file NUMBER. If the earlier holder was only halted, it notices later
/// that it has lost the claim.
///
/// If two processes ask at the same time, at most one of them gets the claim, because each process
/// first makes its file and then checks for other files.

/// The description of this process in claims: process number, host and job.
std::string claimant();

class MIXWELL_EXPORT Claims {
 public:
  static constexpr double beats = 8.0;

  /// Creates `folder` when it is first needed.
  Claims(std::string folder, double dead_after);
  /// Releases all claims of this process.
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  /// Tries to get a claim. Returns whether this process now holds the claim. Costs about ten file
  /// system calls, or two if another process is known to hold the claim. Throws WriteError.
  bool take(const std::string& name);
  void release(const std::string& name);
  /// Whether another process has taken over a claim of this process.
  bool is_lost(const std::string& name) const;

  /// The holder, such as "process 17 on n1 (job 3_1)"; nothing if no process holds the claim or if
  /// the claim is dead.
  std::optional<std::string> holder(const std::string& name);
  /// The number of the claim that this process holds on `name`, counted from 1. The holders of all
  /// earlier numbers have died. 1 if this process does not hold a claim on `name`.
  std::int64_t number(const std::string& name) const;

  /// Claims whose holders are alive, as far as this machine can tell.
  struct ClaimedWork {
    std::string since;
    std::int64_t number = 0;
  };
  std::map<std::string, ClaimedWork> at_work() const;
  /// Whether there is a holder that has missed two touches, so it may be dead.
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
  /// Clock of the file system minus clock of this process. Known after this process has created a
  /// file.
  std::optional<double> clock_offset_;
  mutable std::mutex mutex_;                 ///< protects the next two members
  std::map<std::string, std::string> held_;  ///< name, path
  std::set<std::string> lost_;
  std::condition_variable_any wake_;
  std::jthread heart_;  ///< declared last, because it uses the other members
};

/// The index of ended cells: the empty files ended/CELL.done and ended/CELL.failed. Such a file is
/// created after the record of its cell and removed before that record. So the file implies that
/// the record exists. The records are authoritative. The process that leads the study corrects the
/// index.
using EndStatuses = std::unordered_map<std::string, CellStatus>;

/// Reads the index of ended cells. For 10^5 cells, this takes a few hundred file system calls.
/// Reading their records would take 10^5 calls. Empty if the folder has no index.
MIXWELL_EXPORT EndStatuses indexed_ends(const std::string& folder);

/// Throws WriteError.
MIXWELL_EXPORT void index_end(const std::string& folder, const std::string& cell,
                              CellStatus status);
MIXWELL_EXPORT void forget_end(const std::string& folder, const std::string& cell);

enum class Turn {
  mine,    ///< this process has claimed the cell and must run and release it
  done,    ///< the record says that the cell is done
  failed,  ///< the record says that the cell failed
  other,   ///< another process works on the cell
};

/// The claimed and the ended cells, read from two folder listings. The lists may be out of date: a
/// process may since have started a cell that is in neither list.
struct Surroundings {
  std::unordered_set<std::string> claimed;
  EndStatuses ended;
};

/// `folder`: the results folder of a study.
MIXWELL_EXPORT Surroundings surroundings_in(const std::string& folder);

/// The cells that processes are working on, for readers of a study.
class CellsAtWork {
 public:
  explicit CellsAtWork(const std::string& folder);
  /// Marks a row as running if its cell has not ended and a process works on it. Returns whether
  /// the cell is running.
  bool show(StudyRow& row) const;

 private:
  std::map<std::string, Claims::ClaimedWork> all_;
};

/// The present state of the cells of a study, for readers.
class CellsNow {
 public:
  CellsNow(const std::string& folder, LongTexts texts)
      : folder_(folder), texts_(texts), pending_(read_pending(folder, texts)), at_work_(folder) {}

  /// Reads the record of a cell. If there is no undamaged record, reads the pending entry of the
  /// cell. Throws InputError.
  CellRecord read(const std::string& cell, bool* is_damaged = nullptr) const;

 private:
  std::string folder_;
  LongTexts texts_;
  std::map<std::string, CellRow> pending_;
  CellsAtWork at_work_;
};

class Shares {
 public:
  /// `folder`: the results folder of the study.
  Shares(const std::string& folder, double dead_after)
      : folder_(folder), claims_(folder + "/claims", dead_after) {}

  /// Claims a cell that has not ended. `needs_draws`: a cell counts as done only if it has kept its
  /// draws. Throws WriteError if the claim cannot be made.
  Turn ask(const std::string& cell, bool needs_draws);
  Claims& claims() noexcept { return claims_; }

  /// Removes the folders of claims that nobody holds.
  void tidy();

 private:
  /// How the cell has ended according to its record. `mine` if the cell has not ended.
  Turn ended(const std::string& cell, bool needs_draws) const;

  std::string folder_;
  Claims claims_;
};

}  // namespace mixwell::study
