// How processes share out the cells of one study, on one machine or on many: by claims, files in a
// folder that all of them see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.hpp"

#include <mixwell/export.hpp>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

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

}  // namespace mixwell::study
