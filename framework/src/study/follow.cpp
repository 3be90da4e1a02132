// Follows the progress of a study that other processes run.
// SPDX-License-Identifier: Apache-2.0
#include "study/claims.hpp"
#include "study/file.hpp"
#include "study/records.hpp"
#include "study/reporter.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <thread>

namespace mixwell {
namespace study {
namespace {

/// Tracks the cells that have not ended and counts the cells that have ended. Reads the places
/// again whenever their record changes, because tuning changes the ids of the cells that wait for
/// the tuning.
class StudyWatch {
 public:
  explicit StudyWatch(const StudyOptions& options)
      : folder_(options.folder), reporter_(options, 0.0), progress_(reporter_.progress()) {
    progress_.stage = "following";
    read_places();
    if (open_.empty() && progress_.total == 0) {
      throw InputError(fmt::format(
          "{}: this folder contains no study yet. Create one with `mixwell study {} --prepare` or "
          "`--slurm`.",
          folder_, options.path));
    }
  }

  StudyResult follow(const StudyOptions& options, const std::function<bool()>& goes_on) {
    reporter_.start_clock();
    for (;;) {
      look();
      reporter_.tell();
      if (open_.empty() || is_made(options.stop) || !goes_on()) break;
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    StudyResult result;
    result.folder = folder_;
    result.progress = progress_;
    result.interrupted = !open_.empty();
    return result;
  }

 private:
  void read_places() {
    Outline outline;
    study::read_places(folder_, LongTexts::skipped, outline);
    seal_ = recorded_hash(record_file(folder_, RecordKind::places));
    open_.clear();
    for (const StudyPlace& place : outline.places) open_.insert(place.cell);
    progress_.total = static_cast<std::int64_t>(open_.size());
    progress_.done = progress_.failed = progress_.ended = 0;
  }

  void look() {
    if (recorded_hash(record_file(folder_, RecordKind::places)) != seal_) read_places();
    const Surroundings now = surroundings_in(folder_);
    for (const auto& [cell, end] : now.ended) {
      if (open_.erase(cell) == 0) continue;
      ++(end == CellStatus::done ? progress_.done : progress_.failed);
      ++progress_.ended;
    }
    progress_.running = static_cast<std::int64_t>(now.claimed.size());
  }

  std::string folder_;
  Reporter reporter_;
  StudyProgress& progress_;
  std::string seal_;  ///< hash of the record of places that was read last
  std::set<std::string> open_;
};

}  // namespace
}  // namespace study

StudyResult follow_study(const StudyOptions& options, const std::function<bool()>& goes_on) {
  return study::StudyWatch(options).follow(options, goes_on);
}

StudyOutline study_outline(const std::string& path, bool quick) {
  const study::StudyFile file = study::read_study_file(path, quick);
  return {.name = file.name,
          .threads = file.threads,
          .tunes = file.tune.has_value(),
          .references_first = !file.reference_variant.empty() && file.keep == "summary"};
}

}  // namespace mixwell
