// Whose turn a cell of a study is, where several processes may be at work on it.
// SPDX-License-Identifier: Apache-2.0
#include "study/shares.hpp"

#include "study/records.hpp"

#include <filesystem>
#include <limits>

namespace mixwell::study {

namespace fs = std::filesystem;

Turn Shares::ended(const std::string& cell, bool needs_draws) const {
  const auto end = recorded_end(folder_, cell);
  if (!end) return Turn::mine;
  if (*end == CellStatus::failed) return Turn::failed;
  const bool lacks = needs_draws && !fs::exists(folder_ + "/cells/" + cell + "/draws.nc");
  return lacks ? Turn::mine : Turn::done;
}

/// A record is looked for again when the claim is there: who had the cell before writes its record
/// first and gives the claim back after that.
Turn Shares::ask(const std::string& cell, bool needs_draws) {
  const Turn before = ended(cell, needs_draws);
  if (before != Turn::mine) return before;
  if (!claims_.take(cell)) return Turn::other;
  const Turn after = ended(cell, needs_draws);
  if (after != Turn::mine) claims_.release(cell);
  return after;
}

/// Claims first: a cell that ends meanwhile is in both, and has ended.
Surroundings surroundings_in(const std::string& folder) {
  Surroundings found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder + "/claims", none))
    found.claimed.insert(entry.path().filename().string());
  found.ended = indexed_ends(folder);
  return found;
}

CellsAtWork::CellsAtWork(const std::string& folder)
    : all_(Claims(folder + "/claims", std::numeric_limits<double>::infinity()).at_work()) {}

bool CellsAtWork::show(StudyRow& row) const {
  const auto found = all_.find(row.cell);
  if (found == all_.end() || has_ended(row.status)) return false;
  row.status = CellStatus::running;
  row.started_at = found->second.since;
  row.attempts += found->second.number;
  return true;
}

void Shares::tidy() {
  std::error_code none;
  const fs::path claims = folder_ + "/claims";
  for (const auto& entry : fs::directory_iterator(claims, none)) {
    if (!claims_.holder(entry.path().filename().string())) fs::remove_all(entry.path(), none);
  }
  fs::remove(claims, none);
}

}  // namespace mixwell::study
