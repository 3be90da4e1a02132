// How far a study is at which other processes work.
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

/// Cells that have not ended yet, and counts of those that have. A cell that waits for tuning gets
/// another name by it, so that the places are read again as long as there are such.
class StudyWatch {
 public:
  explicit StudyWatch(const StudyOptions& options)
      : folder_(options.folder), reporter_(options, 0.0), progress_(reporter_.progress()) {
    progress_.stage = "following";
    read_places();
    if (open_.empty() && progress_.total == 0) {
      throw InputError(
          fmt::format("{}: no study is there yet; `mixwell study {} --prepare` or "
                      "`--slurm` begins one",
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
  std::string seal_;  ///< of the places
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
