// Decides which process runs a cell of a study, and keeps an index of ended cells.
// SPDX-License-Identifier: Apache-2.0
#include "files/whole_file.hpp"
#include "study/claims.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>

namespace mixwell::study {
namespace {

namespace fs = std::filesystem;

constexpr std::array ends = {CellStatus::done, CellStatus::failed};

std::string index_folder(const std::string& folder) { return folder + "/ended"; }

std::string name_of(const std::string& folder, const std::string& cell, CellStatus status) {
  return index_folder(folder) + "/" + cell + "." + std::string(to_string(status));
}

}  // namespace

EndStatuses indexed_ends(const std::string& folder) {
  EndStatuses found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(index_folder(folder), none)) {
    const fs::path name = entry.path().filename();
    for (const CellStatus status : ends) {
      if (name.extension() == "." + std::string(to_string(status))) found[name.stem()] = status;
    }
  }
  return found;
}

void index_end(const std::string& folder, const std::string& cell, CellStatus status) {
  const std::string name = name_of(folder, cell, status);
  const auto make = [&] { return ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644); };
  int descriptor = make();
  if (descriptor < 0 && errno == ENOENT) {
    std::error_code ignored;
    fs::create_directories(index_folder(folder), ignored);
    descriptor = make();
  }
  if (descriptor < 0) throw WriteError(name, errno);
  ::close(descriptor);
}

void forget_end(const std::string& folder, const std::string& cell) {
  for (const CellStatus status : ends) ::unlink(name_of(folder, cell, status).c_str());
}

Turn Shares::ended(const std::string& cell, bool needs_draws) const {
  const auto end = recorded_end(folder_, cell);
  if (!end) return Turn::mine;
  if (*end == CellStatus::failed) return Turn::failed;
  const bool lacks = needs_draws && !fs::exists(folder_ + "/cells/" + cell + "/draws.nc");
  return lacks ? Turn::mine : Turn::done;
}

/// Checks the record again after taking the claim. An earlier holder may have written the record
/// and released the claim since the first check.
Turn Shares::ask(const std::string& cell, bool needs_draws) {
  const Turn before = ended(cell, needs_draws);
  if (before != Turn::mine) return before;
  if (!claims_.take(cell)) return Turn::other;
  const Turn after = ended(cell, needs_draws);
  if (after != Turn::mine) claims_.release(cell);
  return after;
}

/// Reads the claims before the ended cells. A cell that ends between the two readings is in both
/// lists and counts as ended.
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

CellRecord CellsNow::read(const std::string& cell, bool* is_damaged) const {
  std::optional<CellRecord> record = read_cell(folder_, cell, texts_, is_damaged);
  const auto pending = pending_.find(cell);
  if (!record && pending != pending_.end()) record = CellRecord{pending->second, {}, {}};
  CellRecord now = std::move(record).value_or(CellRecord());
  now.row.cell = cell;
  at_work_.show(now.row);
  return now;
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
