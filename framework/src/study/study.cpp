// A study: plans its cells, lets variants tune, runs what is not finished, keeps the ledger.
// SPDX-License-Identifier: Apache-2.0
#include "content_hash.hpp"
#include "expansion.hpp"
#include "ledger.hpp"
#include "study_lock.hpp"
#include "tuning.hpp"
#include "worker.hpp"
#include "worker_pool.hpp"

#include <mixwell/error.hpp>
#include <mixwell/study.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
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

bool matches(const std::string& pattern, const std::string& label, const std::string& cell) {
  if (pattern.empty() || cell.starts_with(pattern)) return true;
  if (pattern.find_first_of("*?[") == std::string::npos)
    return label.find(pattern) != std::string::npos;
  return ::fnmatch(pattern.c_str(), label.c_str(), 0) == 0;
}

/// The effective manifest of another seed: a seed moves nothing else in it.
std::string manifest_with_seed(std::string manifest, const std::string& seed) {
  const std::size_t run = manifest.find("\n[run]\n");
  const std::size_t from = manifest.find("\nseed = ", run) + 8;
  return manifest.replace(from, manifest.find_first_not_of("0123456789", from) - from, seed);
}

/// A list of requests, answered in any order.
class Batch final : public Work {
 public:
  using Answered = std::function<void(std::size_t, Json)>;
  using Tick = std::function<void()>;

  Batch(std::vector<Task> tasks, Answered answered, Tick tick)
      : tasks_(tasks.begin(), tasks.end()),
        answered_(std::move(answered)),
        tick_(std::move(tick)) {}

  std::optional<Task> next() override {
    if (tasks_.empty()) return std::nullopt;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }
  bool waits() override { return !tasks_.empty(); }
  void answered(std::size_t id, Json answer) override { answered_(id, std::move(answer)); }
  void tick(std::size_t) override { tick_(); }

 private:
  std::deque<Task> tasks_;
  Answered answered_;
  Tick tick_;
};

/// Cells that differ in the seed alone: they share values of tuning and all of a plan but the seed.
struct Group {
  std::vector<std::size_t> cells;
  std::string place;  ///< JSON of group_of
  std::vector<TuneKey> keys;
  std::string tuning;            ///< id; empty without tuning
  bool wanted = true;            ///< by --only
  bool ready = true;             ///< tuned, or nothing to tune
  std::vector<Override> chosen;  ///< by tuning
  Json plan;
};

/// What dry runs and runs have in common: cells, groups, workers and their plans.
class Planner {
 public:
  Planner(const StudyOptions& options, Ledger* ledger, int lock)
      : options_(options),
        study_(read_study_file(options.path, options.quick)),
        cells_(expand(study_)),
        ledger_(ledger),
        hashes_(ledger),
        pool_({options.program, jobs(), study_.memory, planning_seconds(), lock, options.stop}) {
    std::map<std::string, std::size_t> places;
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      const std::string place = group_of(cells_[k]).dump();
      const auto [found, is_new] = places.emplace(place, groups_.size());
      if (is_new)
        groups_.push_back({{}, place, tune_keys(study_, cells_[k]), {}, false, true, {}, {}});
      Group& group = groups_[found->second];
      group.cells.push_back(k);
      group.wanted = group.wanted || matches(options.only, cells_[k].label, "");
    }
    if (study_.framework == "hash") hashes_.of(framework_library());
    fingerprint_ = registry_fingerprint();
  }

  const StudyFile& study() const noexcept { return study_; }
  const std::vector<StudyCell>& cells() const noexcept { return cells_; }
  std::vector<Group>& groups() noexcept { return groups_; }
  FileHashes& hashes() noexcept { return hashes_; }
  WorkerPool& pool() noexcept { return pool_; }
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  int jobs() const {
    if (options_.jobs > 0) return options_.jobs;
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / static_cast<int>(study_.threads));
  }

  /// Making components may take its time on a busy machine, but not for ever.
  std::optional<double> planning_seconds() const {
    constexpr double least = 60.0;
    if (!study_.cell_seconds) return std::nullopt;
    return std::max(least, *study_.cell_seconds);
  }

  Json request(const char* task, const StudyCell& cell,
               const std::vector<Override>& changes) const {
    return {{"do", task},
            {"text", base_of(cell).text},
            {"path", base_of(cell).path},
            {"changes", changes_json(changes)},
            {"threads", study_.threads}};
  }

  std::vector<Override> changes_of(const Group& group, const StudyCell& cell) const {
    return with_seed(cell, group.chosen, std::stoll(cell.changes.back().value));
  }

  /// Plans of all groups that are ready; those that the ledger remembers are not made again.
  void plan(bool estimate, const std::function<void()>& tick) {
    std::vector<Task> tasks;
    std::vector<std::string> keys(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].ready) continue;
      const StudyCell& cell = cells_[groups_[g].cells.front()];
      const auto changes = changes_of(groups_[g], cell);
      keys[g] = plan_key(cell, changes);
      if (!estimate && recall(groups_[g], keys[g])) continue;
      Json what = request("plan", cell, changes);
      what["estimate"] = estimate;
      tasks.push_back({g, what.dump()});
    }
    std::vector<std::pair<std::string, std::string>> fresh;
    Batch batch(
        std::move(tasks),
        [&](std::size_t g, Json answer) {
          if (answer.at("status") == "done") fresh.emplace_back(keys[g], remembered(answer));
          groups_[g].plan = std::move(answer);
        },
        tick);
    pool_.run(batch);
    if (stopped()) return;
    if (ledger_ != nullptr && !fresh.empty()) ledger_->know_plans(fresh);
    refuse_bad_input();
  }

  Identity identity(const Group& group, const StudyCell& cell) {
    const bool by_hash = study_.framework == "hash";
    const std::string seed = cell.changes.back().value;
    if (group.plan.at("status") == "done") {
      Json plan = group.plan;
      plan["manifest"] = manifest_with_seed(plan.at("manifest").get<std::string>(), seed);
      return identify(plan, hashes_, by_hash);
    }
    // Its plugin could not even make the components: what it would be is all there is to know.
    Identity identity;
    identity.ingredients = {{"manifest", plan_key(cell, changes_of(group, cell))},
                            {"mixwell", fingerprint_}};
    identity.sha256 = text_sha256(identity.ingredients.dump());
    return identity;
  }

 private:
  /// All libraries that a plan may depend on.
  std::string registry_fingerprint() {
    std::string text = MIXWELL_VERSION + hashes_.of(framework_library());
    for (const std::string& folder : Registry::default_folders()) {
      if (!fs::is_directory(folder)) continue;
      std::vector<std::string> paths;
      for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".so") paths.push_back(entry.path().string());
      }
      std::sort(paths.begin(), paths.end());
      for (const std::string& path : paths) {
        FileHashes aside(ledger_);  // libraries that no cell uses may change while it runs
        text += path + aside.of(path);
      }
    }
    return text_sha256(text);
  }

  struct Base {
    std::string path;
    std::string text;
  };

  /// The text that the cell's changes apply to; each file is read once.
  const Base& base_of(const StudyCell& cell) const {
    const auto [found, is_new] = bases_.try_emplace(cell.manifest);
    if (is_new && cell.manifest.empty()) found->second = {study_.base_path, study_.base_text};
    if (is_new && !cell.manifest.empty())
      found->second = {cell.manifest, read_manifest_text(cell.manifest)};
    return found->second;
  }

  std::string plan_key(const StudyCell& cell, const std::vector<Override>& changes) const {
    const char* const data = std::getenv("MIXWELL_DATA");
    Json all = {base_of(cell).text, fs::absolute(base_of(cell).path).string(),
                data == nullptr ? "" : data, fingerprint_};
    for (const Override& change : changes)
      all.push_back({change.key, change.value, static_cast<int>(change.how)});
    return text_sha256(all.dump());
  }

  /// A plan with the hashes of the files it was made from: it depends on them.
  std::string remembered(Json plan) {
    for (Json& file : plan["files"])
      file["sha256"] = hashes_.of(file.at("path").get<std::string>());
    return plan.dump();
  }

  bool recall(Group& group, const std::string& key) {
    const std::string text = ledger_ == nullptr ? "" : ledger_->known_plan(key);
    if (text.empty()) return false;
    Json plan = Json::parse(text);
    for (const Json& file : plan.at("files")) {
      const auto path = file.at("path").get<std::string>();
      if (!fs::exists(path) || hashes_.of(path) != file.at("sha256")) return false;
    }
    group.plan = std::move(plan);
    return true;
  }

  void refuse_bad_input() const {
    std::vector<std::string> reasons;
    std::size_t count = 0;
    std::string first;
    for (const Group& group : groups_) {
      if (group.plan.is_null() || group.plan.at("status") != "bad-input") continue;
      const auto reason = group.plan.at("reason").get<std::string>();
      count += group.cells.size();
      if (std::find(reasons.begin(), reasons.end(), reason) != reasons.end()) continue;
      if (reasons.empty()) first = cells_[group.cells.front()].label;
      if (reasons.size() < 5) reasons.push_back(reason);
    }
    if (reasons.empty()) return;
    throw InputError(fmt::format(
        "{}\n  in {} of {} cells, the first of them {}; correct it, or leave such cells out with "
        "[[study.exclude]]",
        fmt::join(reasons, "\n"), count, cells_.size(), first));
  }

  const StudyOptions& options_;
  StudyFile study_;
  std::vector<StudyCell> cells_;
  std::vector<Group> groups_;
  Ledger* ledger_;
  FileHashes hashes_;
  WorkerPool pool_;
  std::string fingerprint_;
  mutable std::map<std::string, Base> bases_;  ///< by StudyCell::manifest
};

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
        folder_(made(options)),
        lock_(folder_),
        ledger_(patiently<std::unique_ptr<Ledger>>([&] {
          return std::make_unique<Ledger>(folder_ + "/study.sqlite", Database::Mode::write);
        })),
        planner_(options, ledger_.get(), lock_.descriptor()) {}

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
  static std::string made(const StudyOptions& options) {
    read_study_file(options.path, options.quick);  // nothing is made for a study that is wrong
    std::error_code error;
    fs::create_directories(fs::path(options.folder) / "cells", error);
    if (error) {
      throw InputError(
          fmt::format("results folder `{}` cannot be made: {}; choose another with "
                      "--out",
                      options.folder, error.message()));
    }
    return options.folder;
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
        if (!fault.is_disk() || stop || seconds_since(start) > disk_wait()) throw;
        if (progress_.stage != "waiting for the disk")
          remark(std::string(fault.what()) + "; waiting for room on the disk");
        progress_.stage = "waiting for the disk";
        tell();
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
      }
    }
  }

  double disk_wait() {
    if (!disk_wait_) disk_wait_ = read_study_file(options_.path, options_.quick).disk_wait;
    return *disk_wait_;
  }

  void wait_for_disk(const Job& job, const std::string& reason) {
    events_.push_back({job.id, "pending", {}});
    queue_.push_front(job);
    if (!disk_trouble_) {
      disk_trouble_ = Clock::now();
      remark(reason + "\n  the cell runs again when there is room on the disk");
    }
    if (seconds_since(*disk_trouble_) > disk_wait()) {
      flush();
      throw RunError(
          fmt::format("{}\n  no room on the disk for {} s ([study] disk_wait); what is "
                      "finished is kept in {}, and the same command goes on from there",
                      reason, disk_wait(), folder_));
    }
    progress_.stage = "waiting for the disk";
    not_before_ = Clock::now() + std::chrono::milliseconds(500);
  }

  // --- tuning -----------------------------------------------------------------------------------

  std::string tuning_id(const Group& group, std::size_t index) {
    const TuneSettings& settings = *planner_.study().tune;
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
    return text_sha256(text.dump()).substr(0, 16);
  }

  std::vector<Override> values_of(const Group& group, std::int64_t k) {
    const TuneSettings& settings = *planner_.study().tune;
    const auto values =
        candidate(group.keys, k, fmt::format("tune/{}/{}", settings.seed, group.place));
    std::vector<Override> changes;
    for (std::size_t j = 0; j < values.size(); ++j)
      changes.push_back({group.keys[j].key, values[j].toml, group.keys[j].where});
    return changes;
  }

  Json values_json(const Group& group, std::int64_t k) {
    const TuneSettings& settings = *planner_.study().tune;
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
    const TuneSettings& settings = *planner_.study().tune;
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
    const TuneSettings& settings = *planner_.study().tune;
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
    answer["objective"] = planner_.study().tune->objective;
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
    std::vector<LedgerCell> cells;
    std::map<std::string, std::string> refused;
    std::set<std::string> seen;
    for (std::size_t g = 0; g < planner_.groups().size(); ++g) {
      const Group& group = planner_.groups()[g];
      for (const std::size_t k : group.cells) {
        const StudyCell& place = planner_.cells()[k];
        LedgerCell cell = described(group, place, refused);
        points[k] = {place.label, place.model, place.variant, place.seed, place.axes, cell.cell};
        if (!seen.insert(cell.cell).second) continue;
        if (group.ready && matches(options_.only, place.label, cell.cell))
          jobs_.push_back({k, g, cell.cell});
        cells.push_back(std::move(cell));
      }
    }
    patiently<bool>([&] {
      ledger_->lay_out(points, cells);
      ledger_->set("name", planner_.study().name);
      ledger_->set("file", fs::absolute(options_.path).string());
      ledger_->set("axes", Json(axis_keys(planner_.study())).dump());
      ledger_->set("paper", planner_.study().paper.dump());
      ledger_->reopen(options_.retry);
      return true;
    });
    copy_study_file();
    fill_queue(refused);
  }

  LedgerCell described(const Group& group, const StudyCell& place,
                       std::map<std::string, std::string>& refused) {
    if (!group.ready) {
      const std::string id = text_sha256("not tuned yet\n" + group.tuning + place.label);
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
    progress_.total = static_cast<std::int64_t>(jobs_.size());
    for (const Job& job : jobs_) {
      const std::string& status = statuses.at(job.id).status;
      if (status == "done") {
        ++progress_.done;
      } else if (status == "failed") {
        ++progress_.failed;
      } else if (refused.contains(job.id)) {
        ++progress_.failed;
        events_.push_back({job.id, "failed", {{"reason", refused.at(job.id)}}});
      } else {
        queue_.push_back(job);
      }
    }
    flush();
    jobs_.clear();
    jobs_.shrink_to_fit();
  }

  void run_cells() {
    WorkerPool pool({options_.program, planner_.jobs(), planner_.study().memory,
                     planner_.study().cell_seconds, lock_.descriptor(), options_.stop});
    pool.run(*this);
    flush();
    progress_.running = 0;
    tell();
  }

  Json request(const Job& job) const {
    const StudyCell& cell = planner_.cells()[job.cell];
    const Group& group = groups()[job.group];
    Json what = planner_.request("run", cell, planner_.changes_of(group, cell));
    what["folder"] = cell_folder(job);
    what["keep"] = planner_.study().keep;
    const auto& references = planner_.study().references;
    for (const std::string& name : {cell.model, std::string()}) {
      const auto found = references.find(name);
      if (found == references.end()) continue;
      what["reference"] = found->second;
      break;
    }
    return what;
  }

  const std::vector<Group>& groups() const { return const_cast<Planner&>(planner_).groups(); }

  std::string cell_folder(const Job& job) const { return folder_ + "/cells/" + job.id; }

  void end(const Job& job, Json answer) {
    const bool done = answer.at("status") == "done";
    if (done) check_unchanged();
    if (!done && planner_.study().keep == "summary") {
      std::error_code ignored;
      fs::remove_all(cell_folder(job), ignored);
    }
    ++(done ? progress_.done : progress_.failed);
    ++progress_.ended;
    events_.push_back({job.id, done ? "done" : "failed", std::move(answer)});
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
  std::optional<double> disk_wait_;
  StudyProgress progress_;
  Clock::time_point began_ = Clock::now();
  std::string folder_;
  StudyLock lock_;
  std::unique_ptr<Ledger> ledger_;
  Planner planner_;
  std::vector<Job> jobs_;
  std::deque<Job> queue_;
  std::vector<Job> started_;
  std::vector<LedgerEvent> events_;  ///< not in the ledger yet
  std::optional<Clock::time_point> disk_trouble_;
  Clock::time_point not_before_ = Clock::now();
};

/// Cells of a study with what is known about them before they run.
class DryRun {
 public:
  explicit DryRun(const StudyOptions& options)
      : options_(options), planner_(options, nullptr, -1) {}

  std::string json() {
    for (Group& group : planner_.groups()) {
      if (group.keys.empty()) continue;
      const auto values = candidate(group.keys, 0, group.place);
      for (std::size_t j = 0; j < values.size(); ++j)
        group.chosen.push_back({group.keys[j].key, values[j].toml, group.keys[j].where});
    }
    planner_.plan(true, [] {});
    if (planner_.stopped()) throw RunError("interrupted");
    const auto statuses = known_statuses();
    std::vector<Json> rows(planner_.cells().size());
    for (const Group& group : planner_.groups()) {
      for (const std::size_t k : group.cells) rows[k] = row(group, planner_.cells()[k], statuses);
    }
    Json json = {{"study", planner_.study().name}, {"cells", Json::array()}};
    for (Json& one : rows) {
      if (!one.is_null()) json["cells"].push_back(std::move(one));
    }
    if (planner_.study().tune) json["tune_gradients"] = planner_.study().tune->gradients;
    return json.dump() + "\n";
  }

 private:
  std::map<std::string, LedgerStatus> known_statuses() const {
    const std::string path = options_.folder + "/study.sqlite";
    if (!fs::exists(path)) return {};
    return Ledger(path, Database::Mode::read).statuses();
  }

  Json row(const Group& group, const StudyCell& cell,
           const std::map<std::string, LedgerStatus>& statuses) {
    const bool tuned = !group.keys.empty();
    const std::string id = tuned ? "" : planner_.identity(group, cell).sha256.substr(0, 16);
    if (!matches(options_.only, cell.label, id)) return nullptr;
    Json row = {{"cell", tuned ? Json() : Json(id)},
                {"label", cell.label},
                {"model", cell.model},
                {"variant", cell.variant},
                {"seed", cell.seed}};
    const Json axes = Json::parse(cell.axes);
    for (const auto& [key, value] : axes.items()) row[key] = value;
    const auto known = statuses.find(id);
    row["status"] = known == statuses.end() ? "pending" : known->second.status;
    row["class"] = group.plan.value("class", Json());
    row["refused"] = group.plan.value("refused", group.plan.value("reason", std::string()));
    row["gradients"] = nullptr;
    row["seconds"] = nullptr;
    row["tuned"] = tuned;
    if (group.plan.contains("cost")) {
      for (const auto& [key, value] : group.plan.at("cost").items()) row[key] = value;
    }
    return row;
  }

  const StudyOptions& options_;
  Planner planner_;
};

}  // namespace
}  // namespace study

StudyResult run_study(const StudyOptions& options) { return study::StudyRun(options).run(); }

std::string study_plan_json(const StudyOptions& options) { return study::DryRun(options).json(); }

}  // namespace mixwell
