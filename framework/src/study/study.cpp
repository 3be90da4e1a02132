// A study: plans its cells, lets variants tune, runs what is not finished, keeps the ledger.
// SPDX-License-Identifier: Apache-2.0
#include "planner.hpp"
#include "sha256.hpp"
#include "study_lock.hpp"

#include <mixwell/error.hpp>
#include <mixwell/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <set>
#include <thread>

namespace mixwell {
namespace study {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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
        lock_(folder_),
        ledger_(patiently<std::unique_ptr<Ledger>>([&] {
          return std::make_unique<Ledger>(folder_ + "/study.sqlite", Database::Mode::write);
        })),
        planner_(options, study_, ledger_.get(), lock_.descriptor()) {}

  StudyResult run() {
    bool finished = false;
    progress_.stage = "planning";
    tune();
    plan();
    if (!planner_.stopped()) {
      lay_out();
      progress_.stage = "running";
      began_ = Clock::now();
      run_cells();
      if (!planner_.stopped()) compare();
      finished = progress_.done + progress_.failed == progress_.total;
    }
    StudyResult result;
    result.folder = folder_;
    result.progress = progress_;
    result.interrupted = planner_.stopped() && !finished;
    return result;
  }

  std::optional<Task> next() override {
    if (queue_.empty() || Clock::now() < not_before_) return std::nullopt;
    const Job job = queue_.front();
    if (waits_for_references(job)) return std::nullopt;
    queue_.pop_front();
    events_.push_back({job.id, "running", {}});
    const std::size_t number = started_.size();
    started_.push_back(job);
    return Task{number, request(job).dump()};
  }

  bool waits() override { return !queue_.empty(); }

  void answered(std::size_t number, Json answer) override {
    const Job& job = started_[number];
    const auto status = answer.at("status").get<std::string>();
    if (status == "disk") {
      wait_for_disk(job, answer.at("reason").get<std::string>());
    } else if (status == "suspended") {
      events_.push_back({job.id, "pending", {}});
    } else {
      disk_trouble_.reset();
      progress_.stage = "running";
      end(job, std::move(answer));
    }
  }

  void tick(std::size_t running) override {
    flush();
    progress_.running = static_cast<std::int64_t>(running);
    tell();
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

  void tell() {
    progress_.seconds = seconds_since(began_);
    if (options_.progress) options_.progress(progress_);
  }

  void remark(const std::string& text) const {
    if (options_.remark) options_.remark(text);
  }

  /// Tries again while the disk is full, up to [study] disk_wait seconds.
  template <class T, class F>
  T patiently(F action) {
    const auto start = Clock::now();
    const std::string stage = progress_.stage;
    for (;;) {
      try {
        T made = action();
        progress_.stage = stage;
        return made;
      } catch (const DatabaseError& fault) {
        const bool stop = options_.stop != nullptr && options_.stop->load();
        if (!fault.is_disk() || stop || seconds_since(start) > study_.disk_wait) throw;
        if (progress_.stage != "waiting for the disk")
          remark(std::string(fault.what()) + "; waiting for room on the disk");
        progress_.stage = "waiting for the disk";
        tell();
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
      }
    }
  }

  void wait_for_disk(const Job& job, const std::string& reason) {
    events_.push_back({job.id, "pending", {}});
    queue_.push_front(job);
    if (!disk_trouble_) {
      disk_trouble_ = Clock::now();
      remark(reason + "\n  the cell runs again when there is room on the disk");
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

  // --- tuning -----------------------------------------------------------------------------------

  std::string tuning_id(const Group& group, std::size_t index) {
    const TuneSettings& settings = *study_.tune;
    Json text = {settings.gradients, settings.objective, settings.seed, settings.candidates,
                 settings.rungs};
    for (const TuneKey& key : group.keys) {
      Json values = Json::array();
      for (const Value& value : key.values) values.push_back(value.toml);
      text.push_back({key.key, values, key.from, key.to, key.log, key.integer});
    }
    StudyCell first = planner_.cells()[group.cells.front()];
    first.changes.back().value = "0";
    text.push_back(planner_.identity(planner_.groups()[index], first).sha256);
    return sha256(text.dump()).substr(0, 16);
  }

  std::vector<Override> values_of(const Group& group, std::int64_t k) {
    const TuneSettings& settings = *study_.tune;
    const auto values =
        candidate(group.keys, k, fmt::format("tune/{}/{}", settings.seed, group.place));
    std::vector<Override> changes;
    for (std::size_t j = 0; j < values.size(); ++j)
      changes.push_back({group.keys[j].key, values[j].toml, group.keys[j].where});
    return changes;
  }

  Json values_json(const Group& group, std::int64_t k) {
    const TuneSettings& settings = *study_.tune;
    const auto values =
        candidate(group.keys, k, fmt::format("tune/{}/{}", settings.seed, group.place));
    Json json = Json::object();
    for (std::size_t j = 0; j < values.size(); ++j) json[group.keys[j].key] = values[j].json;
    return json;
  }

  /// The groups that have keys to tune: first what their manifests are with candidate 0, which
  /// gives each tuning its id, then rung after rung of all of them together.
  void tune() {
    std::vector<std::size_t> tuned;
    std::vector<Group>& groups = planner_.groups();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].keys.empty()) continue;
      groups[g].chosen = values_of(groups[g], 0);
      tuned.push_back(g);
    }
    if (tuned.empty()) return;
    planner_.plan(false, [this] { tell(); });
    if (planner_.stopped()) return;
    progress_.stage = "tuning";
    Json ids = Json::array();
    for (const std::size_t g : tuned) {
      groups[g].tuning = tuning_id(groups[g], g);
      ids.push_back(groups[g].tuning);
    }
    ledger_->set("tunings", ids.dump());
    std::map<std::size_t, std::vector<std::int64_t>> field;
    const TuneSettings& settings = *study_.tune;
    for (const std::size_t g : tuned) {
      for (std::int64_t k = 0; k < settings.candidates; ++k) field[g].push_back(k);
    }
    const std::vector<Rung> all = rungs(settings);
    for (std::size_t r = 0; r < all.size() && !planner_.stopped(); ++r) {
      const auto scores = run_rung(static_cast<int>(r), all[r], field);
      const std::int64_t keep = r + 1 < all.size() ? all[r + 1].candidates : 1;
      for (auto& [g, candidates] : field) {
        const auto found = scores.find(g);
        groups[g].ready = found != scores.end();
        if (groups[g].ready) candidates = best(found->second, keep);
      }
      std::erase_if(field, [&](const auto& one) { return !groups[one.first].ready; });
    }
    if (planner_.stopped()) return;
    for (const auto& [g, winner] : field) {
      groups[g].chosen = values_of(groups[g], winner.front());
      ledger_->choose(groups[g].tuning, static_cast<int>(all.size()) - 1,
                      static_cast<int>(winner.front()));
    }
  }

  using Scores = std::map<std::size_t, std::vector<std::pair<std::int64_t, double>>>;

  struct TrialPlace {
    std::size_t group = 0;
    std::int64_t candidate = 0;
  };

  /// Scores of every group that has all of them: groups that --only leaves out run no trials.
  Scores run_rung(int number, const Rung& rung,
                  const std::map<std::size_t, std::vector<std::int64_t>>& field) {
    std::vector<TrialPlace> places;
    std::map<std::pair<std::size_t, std::int64_t>, double> known;
    std::vector<Task> tasks;
    for (const auto& [g, candidates] : field) {
      const Group& group = planner_.groups()[g];
      for (const std::int64_t k : candidates) {
        const Json trial = ledger_->known_trial(group.tuning, number, static_cast<int>(k));
        if (!trial.is_null()) {
          known[{g, k}] = score_of(trial);
        } else if (group.wanted) {
          tasks.push_back({places.size(), trial_request(group, number, rung, k).dump()});
          places.push_back({g, k});
        }
      }
    }
    Batch batch(
        std::move(tasks),
        [&](std::size_t id, Json answer) {
          if (answer.at("status") == "suspended") return;
          const auto [g, k] = places[id];
          keep_trial(planner_.groups()[g], number, k, answer);
          known[{g, k}] = score_of(answer);
        },
        [this] { tell(); });
    planner_.pool().run(batch);
    Scores scores;
    for (const auto& [g, candidates] : field) {
      std::vector<std::pair<std::int64_t, double>> found;
      for (const std::int64_t k : candidates) {
        if (known.contains({g, k})) found.emplace_back(k, known.at({g, k}));
      }
      if (found.size() == candidates.size()) scores[g] = std::move(found);
    }
    return scores;
  }

  static double score_of(const Json& trial) {
    const auto found = trial.find("score");
    return found == trial.end() || !found->is_number() ? std::nan("") : found->get<double>();
  }

  Json trial_request(const Group& group, int number, const Rung& rung, std::int64_t k) {
    const TuneSettings& settings = *study_.tune;
    const std::int64_t seed =
        seed_of(fmt::format("tune/{}/{}/{}", settings.seed, group.place, number));
    const StudyCell& cell = planner_.cells()[group.cells.front()];
    Json what = planner_.request("trial", cell, study::with_seed(cell, values_of(group, k), seed));
    what["budget"] = rung.budget;
    what["objective"] = settings.objective;
    return what;
  }

  void keep_trial(const Group& group, int number, std::int64_t k, Json answer) {
    answer["rung"] = number;
    answer["candidate"] = k;
    answer["values"] = values_json(group, k);
    answer["objective"] = study_.tune->objective;
    patiently<bool>([&] { return ledger_->know_trial(group.tuning, group.place, answer), true; });
  }

  // --- cells ------------------------------------------------------------------------------------

  void plan() {
    if (planner_.stopped()) return;
    progress_.stage = "planning";
    planner_.plan(false, [this] { tell(); });
  }

  void lay_out() {
    std::vector<LedgerPoint> points(planner_.cells().size());
    ids_.resize(points.size());
    std::vector<LedgerCell> cells;
    std::map<std::string, std::string> refused;
    std::set<std::string> seen;
    for (std::size_t g = 0; g < planner_.groups().size(); ++g) {
      Group& group = planner_.groups()[g];
      for (const std::size_t k : group.cells) {
        const StudyCell& place = planner_.cells()[k];
        LedgerCell cell = described(group, place, refused);
        ids_[k] = cell.cell;
        points[k] = {place.label, place.model, place.variant, place.seed, place.axes, cell.cell};
        if (!seen.insert(cell.cell).second) continue;
        if (group.ready && matches(options_.only, place.label, cell.cell))
          jobs_.push_back({k, g, cell.cell});
        cells.push_back(std::move(cell));
      }
    }
    patiently<bool>([&] {
      ledger_->lay_out(points, cells);
      ledger_->set("name", study_.name);
      ledger_->set("file", fs::absolute(options_.path).string());
      ledger_->set("axes", Json(axis_keys(study_)).dump());
      ledger_->set("paper", study_.paper.dump());
      ledger_->reopen(options_.retry);
      return true;
    });
    copy_study_file();
    fill_queue(refused);
  }

  LedgerCell described(Group& group, const StudyCell& place,
                       std::map<std::string, std::string>& refused) {
    if (!group.ready) {
      const std::string id = sha256("not tuned yet\n" + group.tuning + place.label);
      return {id.substr(0, 16), id, "", "{}", ""};
    }
    const Identity identity = planner_.identity(group, place);
    LedgerCell cell{identity.sha256.substr(0, 16), identity.sha256, "", identity.ingredients.dump(),
                    ""};
    if (group.plan.at("status") == "done") {
      cell.certificate = group.plan.at("class").get<std::string>();
      cell.manifest = manifest_with_seed(group.plan.at("manifest").get<std::string>(),
                                         place.changes.back().value);
      const auto reason = group.plan.at("refused").get<std::string>();
      if (!reason.empty()) refused[cell.cell] = "refused: " + reason;
    } else {
      refused[cell.cell] = group.plan.at("reason").get<std::string>();
    }
    return cell;
  }

  void copy_study_file() const {
    std::error_code ignored;  // a convenience: nothing reads it back
    fs::copy_file(options_.path, folder_ + "/study.toml", fs::copy_options::overwrite_existing,
                  ignored);
  }

  void fill_queue(const std::map<std::string, std::string>& refused) {
    const auto statuses = ledger_->statuses();
    std::stable_partition(jobs_.begin(), jobs_.end(),
                          [this](const Job& job) { return is_reference(job); });
    progress_.total = static_cast<std::int64_t>(jobs_.size());
    for (const Job& job : jobs_) {
      const std::string& status = statuses.at(job.id).status;
      if (status == "done" && !(is_reference(job) && !has_draws(job.id))) {
        ++progress_.done;
        if (is_reference(job)) done_references_.insert(job.id);
      } else if (status == "failed") {
        ++progress_.failed;
      } else if (refused.contains(job.id)) {
        ++progress_.failed;
        events_.push_back({job.id, "failed", {{"reason", refused.at(job.id)}}});
      } else {
        queue_.push_back(job);
        if (is_reference(job)) ++open_references_;
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
    tell();
  }

  Json request(const Job& job) {
    const StudyCell& cell = planner_.cells()[job.cell];
    const Group& group = planner_.groups()[job.group];
    Json what = planner_.request("run", cell, planner_.changes_of(group, cell));
    what["folder"] = cell_folder(job);
    what["keep"] = is_reference(job) ? "draws" : study_.keep;
    if (const ReferenceRuns reference = reference_of(planner_.groups()[job.group]);
        reference.is_known())
      what["reference"] = reference.json();
    return what;
  }

  std::string cell_folder(const Job& job) const { return folder_ + "/cells/" + job.id; }

  void end(const Job& job, Json answer) {
    const bool done = answer.at("status") == "done";
    if (done) check_unchanged();
    if (is_reference(job)) --open_references_;
    if (is_reference(job) && done) done_references_.insert(job.id);
    if (done) explain(answer);
    if (!done && study_.keep == "summary") {
      std::error_code ignored;
      fs::remove_all(cell_folder(job), ignored);
    }
    ++(done ? progress_.done : progress_.failed);
    ++progress_.ended;
    events_.push_back({job.id, done ? "done" : "failed", std::move(answer)});
  }

  // --- references -------------------------------------------------------------------------------

  /// What a cell's draws are compared with; no id where that is not there (yet).
  struct ReferenceRuns {
    std::string id;
    std::vector<std::string> paths;

    bool is_known() const { return !id.empty(); }
    Json json() const { return {{"id", id}, {"paths", paths}}; }
  };

  bool is_reference(const Job& job) const {
    return !study_.reference_variant.empty() &&
           planner_.cells()[job.cell].variant == study_.reference_variant;
  }

  bool has_draws(const std::string& cell) const {
    return fs::exists(folder_ + "/cells/" + cell + "/draws.nc");
  }

  /// A cell whose draws are not kept can be compared only when it ends.
  bool waits_for_references(const Job& job) const {
    return study_.keep == "summary" && open_references_ > 0 && !is_reference(job);
  }

  ReferenceRuns reference_of(const Group& group) {
    for (const std::string& name : {planner_.cells()[group.cells.front()].model, std::string()}) {
      const auto file = study_.references.find(name);
      if (file != study_.references.end())
        return {planner_.hashes().of(file->second), {file->second}};
    }
    std::set<std::string> cells;
    for (const std::size_t r : group.references) {
      for (const std::size_t k : planner_.groups()[r].cells) cells.insert(ids_[k]);
    }
    ReferenceRuns made;
    for (const std::string& cell : cells) {
      if (!done_references_.contains(cell)) return {};
      made.id += cell;
      made.paths.push_back(folder_ + "/cells/" + cell);
    }
    if (!cells.empty()) made.id = sha256(made.id);
    return made;
  }

  /// Measures the errors of finished cells against the reference as it is now.
  void compare() {
    const auto statuses = ledger_->statuses();
    const auto known = ledger_->compared();
    std::set<std::string> seen;
    std::vector<std::string> cells;
    std::vector<Task> tasks;
    std::int64_t lost = 0;
    for (const Group& group : planner_.groups()) {
      const ReferenceRuns reference = reference_of(group);
      for (const std::size_t k : group.cells) {
        const std::string& cell = ids_[k];
        if (statuses.at(cell).status != "done" || !seen.insert(cell).second) continue;
        const auto before = known.find(cell);
        if ((before == known.end() ? "" : before->second) == reference.id) continue;
        if (reference.is_known() && has_draws(cell)) {
          tasks.push_back({cells.size(), Json({{"do", "compare"},
                                               {"folder", folder_ + "/cells/" + cell},
                                               {"reference", reference.json()}})
                                             .dump()});
          cells.push_back(cell);
          continue;
        }
        if (reference.is_known()) ++lost;
        if (before != known.end())
          patiently<bool>([&] { return ledger_->compare(cell, {}), true; });
      }
    }
    if (lost > 0) {
      remark(
          fmt::format("{} finished cells kept no draws: how far they are from the reference "
                      "is not known; with keep = \"draws\" and another --out they run anew",
                      lost));
    }
    if (tasks.empty()) return;
    progress_.stage = "comparing";
    Batch batch(
        std::move(tasks),
        [&](std::size_t k, Json answer) {
          if (answer.at("status") == "suspended") return;
          explain(answer);
          patiently<bool>([&] { return ledger_->compare(cells[k], answer), true; });
        },
        [this] { tell(); });
    planner_.pool().run(batch);
  }

  /// Why a reference cannot be used, once for each reason.
  void explain(const Json& answer) {
    const std::string reason = answer.value(
        "reference_reason",
        answer.at("status") == "failed" ? answer.value("reason", std::string()) : std::string());
    if (!reason.empty() && explained_.insert(reason).second)
      remark("no errors against the reference: " + reason);
  }

  /// What happened since the last time, as one transaction.
  void flush() {
    patiently<bool>([&] { return ledger_->write(events_), true; });
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
  StudyProgress progress_;
  Clock::time_point began_ = Clock::now();
  std::string folder_;
  StudyLock lock_;
  std::unique_ptr<Ledger> ledger_;
  Planner planner_;
  std::vector<std::string> ids_;  ///< of cells, in the planner's order
  std::set<std::string> done_references_;
  std::int64_t open_references_ = 0;  ///< to be run in this call
  std::set<std::string> explained_;
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
