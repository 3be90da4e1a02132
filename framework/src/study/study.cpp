// Runs a study: plans its cells, tunes variants, runs unfinished cells, and writes records.
// SPDX-License-Identifier: Apache-2.0
#include "base/present_call.hpp"
#include "files/folder_lock.hpp"
#include "files/instruction_set.hpp"
#include "files/json.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "study/claims.hpp"
#include "study/comparison.hpp"
#include "study/database.hpp"
#include "study/ledger.hpp"
#include "study/planner.hpp"
#include "study/records.hpp"
#include "study/reporter.hpp"
#include "study/tuner.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

namespace mixwell {
namespace study {
namespace {

namespace fs = std::filesystem;

/// Waits 3 s for the lock: if an earlier process was killed, its workers hold the lock until they
/// have ended.
LockTerms study_lock() {
  return {"study.lock", "Mixwell study", "this study",
          ". Use `--table` to see the progress of the study, or `--worker` to join the study",
          std::chrono::seconds(3)};
}

/// A cell to run: its index, its group and its id.
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
        lock_(options.worker ? nullptr : std::make_unique<FolderLock>(folder_, study_lock())),
        reporter_(options, study_.disk_wait),
        ledger_(folder_),
        database_(folder_),
        planner_(options, study_, options.worker ? "" : folder_, lock_descriptor()),
        comparison_(study_, planner_, ledger_, reporter_, folder_),
        shares_(folder_, study_.dead_after) {}

  StudyResult run() {
    bool finished = false;
    require_its_instruction_set();
    progress_.stage = "planning";
    if (!options_.worker) take_cells();
    Tuner(study_, planner_, ledger_, reporter_, shares_.claims(), tuning_mode()).run();
    plan();
    if (!planner_.stopped()) {
      lay_out();
      finished = options_.prepare || run_all();
    }
    if (!options_.worker && has_records(folder_))
      reporter_.patiently([this] { database_.finish(); });
    StudyResult result;
    result.folder = folder_;
    result.progress = progress_;
    result.interrupted = planner_.stopped() && !finished;
    if (study_.tune) result.findings = findings();
    return result;
  }

  std::optional<WorkItem> next() override {
    if (Clock::now() < not_before_) return std::nullopt;
    for (int looks = 0; looks < most_looks; ++looks) {
      if (options_.worker && in_vain_ >= most_in_vain) look_around();
      if (queue_.empty()) break;
      const Job job = queue_.front();
      if (comparison_.must_wait(job.cell)) return std::nullopt;
      queue_.pop_front();
      if (is_my_turn(job)) {
        none_free_ = false;
        return begin(job);
      }
      if (!none_free_) ++in_vain_;
    }
    return std::nullopt;
  }

  /// A worker does not wait for the cells of other processes, unless one of these processes may be
  /// dead.
  bool waits() override {
    if (!queue_.empty() && !(options_.worker && comparison_.must_wait(queue_.front().cell)))
      return true;
    if (!options_.worker) return !elsewhere_.empty();
    return std::any_of(elsewhere_.begin(), elsewhere_.end(),
                       [this](const Job& job) { return shares_.claims().is_quiet(job.id); });
  }

  bool gives_up(std::size_t number) override {
    return shares_.claims().is_lost(started_[number].id);
  }

  void answered(std::size_t number, WorkerAnswer answer) override {
    const Job& job = started_[number];
    if (answer.status == WorkerStatus::disk) {
      wait_for_disk(job, answer.reason);
    } else if (answer.status == WorkerStatus::suspended) {
      const bool is_others = gives_up(number) || !answer.reason.empty();
      if (is_others) elsewhere_.push_back(job);
      put_off(job, !is_others);
    } else {
      disk_trouble_.reset();
      progress_.stage = "running";
      end(job, answer);
    }
  }

  void tick(std::size_t running) override {
    look_elsewhere();
    if (!options_.worker) database_.look();
    progress_.running = static_cast<std::int64_t>(running);
    progress_.elsewhere = static_cast<std::int64_t>(elsewhere_.size());
    reporter_.tell();
  }

 private:
  /// One call of next() checks at most this many cells, so that other work gets its turn.
  static constexpr int most_looks = 64;
  /// After this many requests without a free cell, a worker checks all cells at once.
  static constexpr int most_in_vain = 16;
  /// If no cell is free, a worker watches at most this many cells of other processes, because these
  /// processes may die. Each worker starts at another cell, so that every cell is watched by some
  /// worker.
  static constexpr std::ptrdiff_t most_of_others = 64;

  /// All processes of a study use one set: the set that its file asks for, or else the set of the
  /// process that began the study.
  void require_its_instruction_set() const {
    const std::string asked = instruction_set_of(study_);
    if (!asked.empty()) return require_instruction_set(asked, options_.path + ": run.isa asks for");
    require_instruction_set(ledger_.outline().fact("isa"), folder_ + ": this study began with");
  }

  void take_cells() {
    check_database_place(folder_);
    const auto damaged = reporter_.patiently([this] { return ledger_.take_cells(); });
    tell_damaged(damaged, [this](const std::string& text) { reporter_.remark(text); });
  }

  std::vector<std::string> findings() const {
    StudyTable table;
    for (TuningSum& sum : ledger_.outline().sums()) table.tunings.push_back(std::move(sum));
    table.tune_gradients = study_.tune->gradients;
    return table.findings();
  }

  Tuner::OpenTunings tuning_mode() const {
    if (options_.prepare) return Tuner::OpenTunings::leaves;
    return options_.worker ? Tuner::OpenTunings::takes : Tuner::OpenTunings::waits;
  }

  int lock_descriptor() const { return lock_ == nullptr ? -1 : lock_->descriptor(); }

  static std::string made(const std::string& folder) {
    std::error_code error;
    fs::create_directories(fs::path(folder) / "cells", error);
    if (error) {
      throw InputError(fmt::format(
          "Mixwell cannot create the results folder `{}`: {}. Choose another folder with --out.",
          folder, error.message()));
    }
    for (const char* const of_records : {"", "/tune"}) remove_abandoned(folder + of_records);
    return folder;
  }

  /// Returns whether all cells that this call is responsible for have ended.
  bool run_all() {
    progress_.stage = "running";
    reporter_.start_clock();
    run_cells();
    const bool all_ended = progress_.done + progress_.failed == progress_.total;
    if (options_.worker || planner_.stopped()) return all_ended || options_.worker;
    if (comparison_.run()) database_.changed();
    if (all_ended) shares_.tidy();
    return all_ended;
  }

  bool is_my_turn(const Job& job) {
    Turn turn = Turn::other;
    try {
      turn = shares_.ask(job.id, comparison_.is_reference(job.cell));
    } catch (const WriteError& fault) {
      if (!fault.is_full()) throw;
      wait_for_disk(job, fault.what());
      return false;
    }
    if (turn == Turn::other) elsewhere_.push_back(job);
    if (turn == Turn::done || turn == Turn::failed) take_end(job, turn == Turn::done);
    return turn == Turn::mine;
  }

  /// Starts a cell. Removes the old record. From here on, only the worker process uses the folder
  /// of the cell.
  WorkItem begin(const Job& job) {
    record([&] { ledger_.start(job.id, shares_.claims().number(job.id)); });
    const std::size_t number = started_.size();
    started_.push_back(job);
    return {number, request(job)};
  }

  /// Counts a cell that another process has finished.
  void take_end(const Job& job, bool done) {
    if (!options_.worker) ledger_.take_cell(job.id);
    database_.changed();
    if (comparison_.is_reference(job.cell)) comparison_.ended(job.id, done);
    ++(done ? progress_.done : progress_.failed);
  }

  /// Counts cells that have ended in other processes. Puts cells that no process works on any more
  /// into the queue.
  void look_elsewhere() {
    constexpr double pause = 1.0;
    if (elsewhere_.empty() || seconds_since(looked_) < pause) return;
    looked_ = Clock::now();
    std::erase_if(elsewhere_, [this](const Job& job) {
      if (const auto end = recorded_end(folder_, job.id)) {
        take_end(job, *end == CellStatus::done);
        return true;
      }
      if (shares_.claims().holder(job.id)) return false;
      queue_.push_back(job);
      return true;
    });
  }

  /// Removes ended cells from the queue, and moves the cells of other processes to the end of the
  /// queue. If 10^4 workers asked for 10^5 cells one by one, a server would get 10^9 requests.
  /// Instead, each worker lists two folders a few times.
  void look_around() {
    in_vain_ = 0;
    const Surroundings now = surroundings_in(folder_);
    std::erase_if(queue_, [&](const Job& job) {
      const auto end = now.ended.find(job.id);
      if (comparison_.is_reference(job.cell) || end == now.ended.end()) return false;
      take_end(job, end->second == CellStatus::done);
      return true;
    });
    const auto of_others = std::stable_partition(queue_.begin(), queue_.end(), [&](const Job& job) {
      return comparison_.is_reference(job.cell) || !now.claimed.contains(job.id);
    });
    none_free_ = of_others == queue_.begin();
    if (!none_free_) return spread(queue_.begin(), of_others);
    const std::ptrdiff_t others = queue_.end() - of_others;
    queue_.erase(of_others + std::min(others, most_of_others), queue_.end());
  }

  /// Marks a cell as not ended and releases it. `has_record` must be false if another process may
  /// work on the cell.
  void put_off(const Job& job, bool has_record) {
    record([&] { has_record ? ledger_.keep(described(job)) : ledger_.put_off(job.id); });
    shares_.claims().release(job.id);
  }

  void wait_for_disk(const Job& job, const std::string& reason) {
    put_off(job, false);
    queue_.push_front(job);
    if (!disk_trouble_) {
      disk_trouble_ = Clock::now();
      reporter_.remark(reason + "\n  Mixwell runs the cell again when the disk has room");
    }
    if (seconds_since(*disk_trouble_) > study_.disk_wait) {
      throw RunError(
          fmt::format("{}\n  The disk has been full for {} s, which is the limit `disk_wait` in "
                      "[study]. Finished cells are kept in {}. Free disk space and run the same "
                      "command again to continue.",
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
    std::vector<StudyPlace> points(planner_.cells().size());
    std::vector<std::string> ids(points.size());
    std::vector<Job> jobs;
    std::vector<Job> all;  // if a cell has several places, only the first place
    std::set<std::string> seen;
    for (std::size_t g = 0; g < planner_.groups().size(); ++g) {
      SeedGroup& group = planner_.groups()[g];
      for (const std::size_t k : group.cells) {
        const StudyCell& place = planner_.cells()[k];
        ids[k] = identity(group, place).sha256.substr(0, 16);
        points[k] = {static_cast<std::int64_t>(k) + 1,
                     place.label,
                     place.model,
                     place.variant,
                     place.seed,
                     place.axes,
                     ids[k]};
        if (!seen.insert(ids[k]).second) continue;
        all.push_back({k, g, ids[k]});
        if (group.ready && matches(options_.only, place.label, ids[k])) jobs.push_back(all.back());
      }
    }
    seen.clear();
    reporter_.patiently([&] { write_down(points, all); });
    points = {};
    all = {};
    if (options_.worker) take_references(ids);
    comparison_.begin(std::move(ids));
    fill_queue(std::move(jobs));
  }

  /// Writes the records of the study. A worker writes them only if they are missing, and describes
  /// a cell only when the cell starts.
  void write_down(const std::vector<StudyPlace>& points, const std::vector<Job>& all) {
    const std::string ingredients = all.empty() ? "{}" : described(all.front()).ingredients;
    if (options_.worker && agrees(points, ingredients)) return;
    ledger_.lay_out(points);
    ledger_.set({{"name", study_.name},
                 {"file", fs::absolute(options_.path).string()},
                 {"axes", json_text(axis_keys(study_))},
                 {"aliases", json_text(study_.aliases)},
                 {"paper", json_text(study_.paper)},
                 {"isa", own_instruction_set()},
                 {"ingredients", ingredients}});
    copy_study_file();
    if (!options_.worker) keep_cells(all);
  }

  void keep_cells(const std::vector<Job>& all) {
    if (options_.retry) ledger_.reopen();
    std::vector<std::string> cells;
    for (const Job& job : all) cells.push_back(job.id);
    ledger_.keep_pending(cells, [&](std::size_t k) { return described(all[k]); });
    planner_.remembered().keep();
  }

  /// Whether the recorded places equal the places of this process. False if no places are recorded
  /// yet, or if recorded cells were still waiting for tuning. Throws if the cells differ for
  /// another reason.
  bool agrees(const std::vector<StudyPlace>& points, const std::string& ingredients) {
    std::map<std::string, std::string> before;
    for (const StudyPlace& place : ledger_.outline().places) before[place.label] = place.cell;
    if (before.empty()) return false;
    bool same = before.size() == points.size();
    for (const SeedGroup& group : planner_.groups()) {
      for (const std::size_t k : group.cells) {
        const auto found = before.find(points[k].label);
        if (found != before.end() && found->second == points[k].cell) continue;
        same = false;
        if (found == before.end() || !waited_for_tuning(group, points[k].label, found->second))
          refuse(points[k], ingredients);
      }
    }
    return same;
  }

  static bool waited_for_tuning(const SeedGroup& group, const std::string& label,
                                const std::string& cell) {
    return !group.tuning.empty() && cell == untuned_id(group.tuning, label).substr(0, 16);
  }

  [[noreturn]] void refuse(const StudyPlace& point, const std::string& ingredients) {
    const std::string other =
        ingredient_differences(ledger_.outline().fact("ingredients"), ingredients, true);
    throw InputError(fmt::format(
        "{}: the cells of this study differ from the cells of this worker. The first cell that "
        "differs is {}:\n{}  Start all workers with the same study file, data, plugins and "
        "program. If the cells of this worker are correct, run `mixwell study {} --prepare` to "
        "update the study.",
        folder_, point.label, other, options_.path));
  }

  static std::string untuned_id(const std::string& tuning, const std::string& label) {
    return sha256("not tuned yet\n" + tuning + label);
  }

  /// A worker reads the records of ended cells only for cells of a reference.
  void take_references(const std::vector<std::string>& ids) {
    for (std::size_t k = 0; k < ids.size(); ++k)
      if (comparison_.is_reference(k)) ledger_.take_cell(ids[k]);
  }

  Identity identity(SeedGroup& group, const StudyCell& place) {
    if (group.ready) return planner_.identity(group, place);
    return {untuned_id(group.tuning, place.label), "{}"};
  }

  /// The description of a cell, without its results.
  CellRow described(const Job& job, CellRow cell = {}) {
    SeedGroup& group = planner_.groups()[job.group];
    const StudyCell& place = planner_.cells()[job.cell];
    Identity identity = this->identity(group, place);
    cell.cell = job.id;
    cell.sha256 = std::move(identity.sha256);
    cell.ingredients = std::move(identity.ingredients);
    const bool is_known = group.ready && group.plan;
    if (is_known) cell.manifest = group.ingredients->manifest(place.run_seed);
    if (!cell.certificate) cell.certificate = is_known ? to_string(group.plan->certificate) : "";
    return cell;
  }

  /// The reason why a cell must not run; "" if the cell may run.
  std::string refusal(const Job& job) const {
    const SeedGroup& group = planner_.groups()[job.group];
    if (!group.plan) return group.no_plan;
    return group.plan->refused.empty() ? "" : "refused: " + group.plan->refused;
  }

  void copy_study_file() const {
    std::error_code ignored;  // the copy is only for the user; Mixwell does not read it
    fs::copy_file(options_.path, folder_ + "/study.toml", fs::copy_options::overwrite_existing,
                  ignored);
  }

  /// Rotates the queue, so that workers seldom request the same cell. The amount depends on the
  /// worker and on the number of the call. References stay first.
  void spread(std::deque<Job>::iterator first, std::deque<Job>::iterator last) {
    const auto others = std::find_if(
        first, last, [this](const Job& job) { return !comparison_.is_reference(job.cell); });
    const auto count = static_cast<std::size_t>(last - others);
    if (count == 0) return;
    const std::string turn = claimant() + " " + std::to_string(++turns_);
    const std::size_t begin = std::hash<std::string>()(turn) % count;
    std::rotate(others, others + static_cast<std::ptrdiff_t>(begin), last);
  }

  void fill_queue(std::vector<Job> jobs) {
    std::stable_partition(jobs.begin(), jobs.end(),
                          [this](const Job& job) { return comparison_.is_reference(job.cell); });
    progress_.total = static_cast<std::int64_t>(jobs.size());
    for (const Job& job : jobs) {
      const CellStatus status = ledger_.known(job.id).status;
      const bool is_reference = comparison_.is_reference(job.cell);
      if (status == CellStatus::done && (!is_reference || comparison_.has_draws(job.id))) {
        ++progress_.done;
      } else if (status == CellStatus::failed) {
        ++progress_.failed;
      } else if (const std::string why = refusal(job); !why.empty()) {
        ++progress_.failed;
        if (!options_.worker) record([&] { ledger_.keep(failed(job, why)); });
      } else {
        queue_.push_back(job);
        if (is_reference) comparison_.expect();
      }
    }
  }

  void run_cells() {
    const CallMark mark("the running cells (each leaves a checkpoint)");
    WorkerPool pool({options_.program, planner_.jobs(), study_.memory, study_.cell_seconds,
                     lock_descriptor(), options_.stop});
    pool.run(*this);
    progress_.running = 0;
    reporter_.tell();
  }

  RunRequest request(const Job& job) {
    const StudyCell& cell = planner_.cells()[job.cell];
    const SeedGroup& group = planner_.groups()[job.group];
    return {planner_.manifest_of(cell, planner_.changes_of(group, cell)),
            planner_.threads(),
            cell_folder(job),
            options_.scratch,
            comparison_.is_reference(job.cell) || study_.keep == "draws",
            comparison_.reference_of(group)};
  }

  std::string cell_folder(const Job& job) const { return folder_ + "/cells/" + job.id; }

  void end(const Job& job, const WorkerAnswer& answer) {
    const bool done = answer.status == WorkerStatus::done;
    if (done) check_unchanged();
    if (comparison_.is_reference(job.cell)) comparison_.ended(job.id, done);
    if (!done && study_.keep == "summary") {
      std::error_code ignored;
      fs::remove_all(cell_folder(job), ignored);
    }
    ++(done ? progress_.done : progress_.failed);
    ++progress_.ended;
    record([&] {
      done ? keep(job, std::get<CellFigures>(answer.result))
           : ledger_.keep(failed(job, answer.reason));
    });
    shares_.claims().release(job.id);
  }

  void keep(const Job& job, const CellFigures& figures) {
    comparison_.explain(figures.errors.reason);
    CellRow row = described(job, figures.row);
    row.status = CellStatus::done;
    ledger_.keep(std::move(row), figures.metrics, figures.errors);
  }

  CellRow failed(const Job& job, const std::string& reason) {
    CellRow row = described(job);
    row.status = CellStatus::failed;
    row.reason = reason;
    return row;
  }

  void record(const std::function<void()>& action) {
    database_.changed();
    reporter_.patiently(action);
  }

  /// Throws if files have changed, because the ids of cells are computed from the files at the
  /// start of the study.
  void check_unchanged() {
    const std::vector<std::string> changed = planner_.hashes().changed();
    if (changed.empty()) return;
    throw RunError(
        fmt::format("{} changed while the study was running. Run the same command again to repeat "
                    "the cells that depend on the changed files.",
                    fmt::join(changed, ", ")));
  }

  const StudyOptions& options_;
  const StudyFile study_;  ///< before folder_, so that an invalid study file creates no folder
  std::string folder_;
  std::unique_ptr<FolderLock> lock_;  ///< held by the process that leads the study
  Reporter reporter_;
  StudyProgress& progress_ = reporter_.progress();
  Ledger ledger_;
  DatabaseKeeper database_;
  Planner planner_;
  Comparison comparison_;
  Shares shares_;
  std::deque<Job> queue_;
  int in_vain_ = most_in_vain;  ///< number of requests since the last free cell
  bool none_free_ = false;      ///< whether the last check of all cells found no free cell
  int turns_ = 0;               ///< number of calls of spread()
  std::vector<Job> elsewhere_;
  std::vector<Job> started_;
  std::optional<Clock::time_point> disk_trouble_;
  Clock::time_point not_before_ = Clock::now();
  Clock::time_point looked_ = Clock::now();
};

}  // namespace
}  // namespace study

StudyResult run_study(const StudyOptions& options) { return study::StudyRun(options).run(); }

}  // namespace mixwell
