// Whose turn a cell of a study is, where several processes may be at work on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/claims.hpp"
#include "study/end_index.hpp"

#include <map>
#include <string>
#include <unordered_set>

namespace mixwell::study {

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
