// A study: plans its cells, lets variants tune, runs what is not finished, keeps the ledger.
// SPDX-License-Identifier: Apache-2.0
#include "files/json.hpp"
#include "files/sha256.hpp"
#include "study/comparison.hpp"
#include "study/ledger_file.hpp"
#include "study/lock.hpp"
#include "study/planner.hpp"
#include "study/reporter.hpp"
#include "study/table_json.hpp"
#include "study/tuner.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <set>

namespace mixwell {
namespace study {
namespace {

namespace fs = std::filesystem;

/// A cell to run: where it stands, and what the ledger calls it.
struct Job {
  std::size_t cell = 0;
  std::size_t group = 0;
  std::string id;
};

class StudyRun final : public Work {
 public:
  explicit StudyRun(const StudyOptions& options)
      : options_(options),
        study_(read_study_file(options.path, options.quick)),
        folder_(made(options.folder)),
        lock_(folder_, study_lock()),
        reporter_(options, study_.disk_wait),
        ledger_(reporter_.patiently([&] {
          return open_ledger(folder_, [this](const auto& text) { reporter_.remark(text); });
        })),
        planner_(options, study_, ledger_.get(), lock_.descriptor()),
        comparison_(study_, planner_, *ledger_, reporter_, folder_) {}

  StudyResult run() {
    bool finished = false;
    progress_.stage = "planning";
    Tuner(study_, planner_, *ledger_, reporter_).run();
    plan();
    if (!planner_.stopped()) {
      lay_out();
      progress_.stage = "running";
      reporter_.start_clock();
      run_cells();
      if (!planner_.stopped()) comparison_.run();
      finished = progress_.done + progress_.failed == progress_.total;
    }
    StudyResult result;
    result.folder = folder_;
    result.progress = progress_;
    result.interrupted = planner_.stopped() && !finished;
    return result;
  }

  std::optional<WorkItem> next() override {
    if (queue_.empty() || Clock::now() < not_before_) return std::nullopt;
    const Job job = queue_.front();
    if (comparison_.must_wait(job.cell)) return std::nullopt;
    queue_.pop_front();
    events_.push_back({job.id, CellStatus::running});
    flush();  // takes the old record away: from here on the worker alone is in the cell's folder
    const std::size_t number = started_.size();
    started_.push_back(job);
    return WorkItem{number, request(job)};
  }

  bool waits() override { return !queue_.empty(); }

  void answered(std::size_t number, WorkerAnswer answer) override {
    const Job& job = started_[number];
    if (answer.status == WorkerStatus::disk) {
      wait_for_disk(job, answer.reason);
    } else if (answer.status == WorkerStatus::suspended) {
      events_.push_back({job.id, CellStatus::pending});
    } else {
      disk_trouble_.reset();
      progress_.stage = "running";
      end(job, std::move(answer));
    }
  }

  void tick(std::size_t running) override {
    flush();
    progress_.running = static_cast<std::int64_t>(running);
    reporter_.tell();
  }

 private:
  static std::string made(const std::string& folder) {
    std::error_code error;
    fs::create_directories(fs::path(folder) / "cells", error);
    if (error) {
      throw InputError(
          fmt::format("results folder `{}` cannot be made: {}; choose another with "
                      "--out",
                      folder, error.message()));
    }
    return folder;
  }

  void wait_for_disk(const Job& job, const std::string& reason) {
    events_.push_back({job.id, CellStatus::pending});
    queue_.push_front(job);
    if (!disk_trouble_) {
      disk_trouble_ = Clock::now();
      reporter_.remark(reason + "\n  the cell runs again when there is room on the disk");
    }
    if (seconds_since(*disk_trouble_) > study_.disk_wait) {
      flush();
      throw RunError(
          fmt::format("{}\n  no room on the disk for {} s ([study] disk_wait); what is "
                      "finished is kept in {}, and the same command goes on from there",
                      reason, study_.disk_wait, folder_));
    }
    progress_.stage = "waiting for the disk";
    not_before_ = Clock::now() + std::chrono::milliseconds(500);
  }

  void plan() {
    if (planner_.stopped()) return;
    progress_.stage = "planning";
    planner_.plan(false, [this] { reporter_.tell(); });
  }

  void lay_out() {
    std::vector<LedgerPoint> points(planner_.cells().size());
    std::vector<std::string> ids(points.size());
    std::vector<LedgerCell> cells;
    std::map<std::string, std::string> refused;
    std::set<std::string> seen;
    for (std::size_t g = 0; g < planner_.groups().size(); ++g) {
      SeedGroup& group = planner_.groups()[g];
      for (const std::size_t k : group.cells) {
        const StudyCell& place = planner_.cells()[k];
        LedgerCell cell = described(group, place, refused);
        ids[k] = cell.cell;
        points[k] = {place.label, place.model, place.variant, place.seed, place.axes, cell.cell};
        if (!seen.insert(cell.cell).second) continue;
        if (group.ready && matches(options_.only, place.label, cell.cell))
          jobs_.push_back({k, g, cell.cell});
        cells.push_back(std::move(cell));
      }
    }
    reporter_.patiently([&] {
      ledger_->lay_out(points, cells);
      ledger_->set("name", study_.name);
      ledger_->set("file", fs::absolute(options_.path).string());
      ledger_->set("axes", json_text(axis_keys(study_)));
      ledger_->set("paper", json_text(study_.paper));
      ledger_->reopen(options_.retry);
    });
    copy_study_file();
    const auto statuses = ledger_->statuses();
    comparison_.begin(std::move(ids), statuses);
    fill_queue(statuses, refused);
  }

  LedgerCell described(SeedGroup& group, const StudyCell& place,
                       std::map<std::string, std::string>& refused) {
    if (!group.ready) {
      const std::string id = sha256("not tuned yet\n" + group.tuning + place.label);
      return {id.substr(0, 16), id, "", "{}", ""};
    }
    const Identity identity = planner_.identity(group, place);
    LedgerCell cell{identity.sha256.substr(0, 16), identity.sha256, "", identity.ingredients, ""};
    if (group.plan) {
      cell.certificate = to_string(group.plan->certificate);
      cell.manifest = manifest_with_seed(group.plan->manifest, place.changes.back().value);
      if (!group.plan->refused.empty()) refused[cell.cell] = "refused: " + group.plan->refused;
    } else {
      refused[cell.cell] = group.no_plan;
    }
    return cell;
  }

  void copy_study_file() const {
    std::error_code ignored;  // a convenience: nothing reads it back
    fs::copy_file(options_.path, folder_ + "/study.toml", fs::copy_options::overwrite_existing,
                  ignored);
  }

  void fill_queue(const std::map<std::string, LedgerStatus>& statuses,
                  const std::map<std::string, std::string>& refused) {
    std::stable_partition(jobs_.begin(), jobs_.end(),
                          [this](const Job& job) { return comparison_.is_reference(job.cell); });
    progress_.total = static_cast<std::int64_t>(jobs_.size());
    for (const Job& job : jobs_) {
      const CellStatus status = statuses.at(job.id).status;
      const bool is_reference = comparison_.is_reference(job.cell);
      if (status == CellStatus::done && (!is_reference || comparison_.has_draws(job.id))) {
        ++progress_.done;
      } else if (status == CellStatus::failed) {
        ++progress_.failed;
      } else if (refused.contains(job.id)) {
        ++progress_.failed;
        events_.push_back({job.id, CellStatus::failed, refused.at(job.id)});
      } else {
        queue_.push_back(job);
        if (is_reference) comparison_.expect();
      }
    }
    flush();
    jobs_.clear();
    jobs_.shrink_to_fit();
  }

  void run_cells() {
    WorkerPool pool({options_.program, planner_.jobs(), study_.memory, study_.cell_seconds,
                     lock_.descriptor(), options_.stop});
    pool.run(*this);
    flush();
    progress_.running = 0;
    reporter_.tell();
  }

  RunRequest request(const Job& job) {
    const StudyCell& cell = planner_.cells()[job.cell];
    const SeedGroup& group = planner_.groups()[job.group];
    return {planner_.manifest_of(cell, planner_.changes_of(group, cell)), planner_.threads(),
            cell_folder(job), comparison_.is_reference(job.cell) || study_.keep == "draws",
            comparison_.reference_of(group)};
  }

  std::string cell_folder(const Job& job) const { return folder_ + "/cells/" + job.id; }

  void end(const Job& job, WorkerAnswer answer) {
    const bool done = answer.status == WorkerStatus::done;
    if (done) check_unchanged();
    if (comparison_.is_reference(job.cell)) comparison_.ended(job.id, done);
    LedgerEvent event{job.id, CellStatus::failed, answer.reason};
    if (done) {
      event.status = CellStatus::done;
      event.figures = std::get<CellFigures>(std::move(answer.result));
      comparison_.explain(event.figures->errors.reason);
    }
    if (!done && study_.keep == "summary") {
      std::error_code ignored;
      fs::remove_all(cell_folder(job), ignored);
    }
    ++(done ? progress_.done : progress_.failed);
    ++progress_.ended;
    events_.push_back(std::move(event));
  }

  /// What happened since the last time, as one transaction.
  void flush() {
    reporter_.patiently([&] { ledger_->write(events_); });
    events_.clear();
  }

  /// A cell's id speaks of the files as they were when the study began.
  void check_unchanged() {
    const std::vector<std::string> changed = planner_.hashes().changed();
    if (changed.empty()) return;
    flush();
    throw RunError(
        fmt::format("{} changed while the study was running; the same command goes on: "
                    "cells that use it run anew",
                    fmt::join(changed, ", ")));
  }

  const StudyOptions& options_;
  const StudyFile study_;  ///< before folder_: nothing is made for a study that is wrong
  std::string folder_;
  FolderLock lock_;
  Reporter reporter_;
  StudyProgress& progress_ = reporter_.progress();
  std::unique_ptr<Ledger> ledger_;
  Planner planner_;
  Comparison comparison_;
  std::vector<Job> jobs_;
  std::deque<Job> queue_;
  std::vector<Job> started_;
  std::vector<LedgerEvent> events_;  ///< not in the ledger yet
  std::optional<Clock::time_point> disk_trouble_;
  Clock::time_point not_before_ = Clock::now();
};

}  // namespace
}  // namespace study

StudyResult run_study(const StudyOptions& options) { return study::StudyRun(options).run(); }

}  // namespace mixwell
