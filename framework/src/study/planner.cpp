// Plans the cells of a study and computes their identities. Also implements `mixwell study
// --dry-run`.
// SPDX-License-Identifier: Apache-2.0
#include "study/planner.hpp"

#include "base/present_call.hpp"
#include "files/json.hpp"
#include "files/sha256.hpp"
#include "files/toml_file.hpp"
#include "study/claims.hpp"
#include "study/records.hpp"
#include "study/task.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/lab/study.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

namespace mixwell::study {

namespace fs = std::filesystem;

bool matches(const std::string& pattern, const std::string& label, const std::string& cell) {
  if (pattern.empty() || cell.starts_with(pattern)) return true;
  if (pattern.find_first_of("*?[") == std::string::npos)
    return label.find(pattern) != std::string::npos;
  return ::fnmatch(pattern.c_str(), label.c_str(), 0) == 0;
}

Planner::Planner(const StudyOptions& options, const StudyFile& study, const std::string& remembers,
                 int lock)
    : options_(options),
      study_(study),
      cells_(expand(study)),
      remembered_(remembers),
      hashes_(remembered_),
      pool_({options.program, jobs(), study.memory, planning_seconds(), lock, options.stop}) {
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const std::string place = location_of(cells_[k]);
    const auto [found, is_new] = places.emplace(place, groups_.size());
    if (is_new) {
      groups_.emplace_back();
      groups_.back().place = place;
      groups_.back().keys = tune_keys(study_, cells_[k]);
    }
    SeedGroup& group = groups_[found->second];
    group.cells.push_back(k);
    group.wanted = group.wanted || matches(options.only, cells_[k].label, "");
  }
  find_references();
  if (study_.framework == "hash") framework_hash(hashes_);
  fingerprint_ = registry_fingerprint();
}

int Planner::jobs() const {
  if (options_.jobs > most_threads())
    throw InputError(fmt::format(
        "--jobs must be from 1 to {1} (got {0}). The limit is eight jobs for each core of this "
        "machine.",
        options_.jobs, most_threads()));
  if (options_.jobs > 0) return options_.jobs;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / static_cast<int>(study_.threads));
}

/// Time limit for making components: cell_seconds, but at least 60 s, because the machine may be
/// busy.
std::optional<double> Planner::planning_seconds() const {
  constexpr double least = 60.0;
  if (!study_.cell_seconds) return std::nullopt;
  return std::max(least, *study_.cell_seconds);
}

CellManifest Planner::manifest_of(const StudyCell& cell,
                                  const std::vector<Override>& changes) const {
  return {base_of(cell).text, base_of(cell).path, changes};
}

std::vector<Override> Planner::changes_of(const SeedGroup& group, const StudyCell& cell) const {
  return changes_with(study_, cell, group.chosen, cell.run_seed);
}

void Planner::plan(bool estimate, const std::function<void()>& tick) {
  const CallMark mark("the planning of the cells");
  std::vector<WorkItem> tasks;
  std::vector<std::string> keys(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!groups_[g].ready) continue;
    const StudyCell& cell = first_of(groups_[g]);
    const auto changes = changes_of(groups_[g], cell);
    keys[g] = plan_key(cell, changes);
    if (!estimate && recall(groups_[g], keys[g])) continue;
    tasks.push_back({g, PlanRequest{manifest_of(cell, changes), threads(), estimate}});
  }
  pool_.run(
      std::move(tasks),
      [&](std::size_t g, WorkerAnswer answer) {
        take(groups_[g], std::move(answer));
        if (groups_[g].plan) remembered_.know("plan " + keys[g], plan_text(*groups_[g].plan));
      },
      [&tick](std::size_t) { tick(); });
  if (stopped()) return;
  refuse_bad_input();
}

Identity Planner::identity(SeedGroup& group, const StudyCell& cell) {
  if (group.plan) {
    if (!group.ingredients)
      group.ingredients.emplace(*group.plan, hashes_, study_.framework == "hash");
    return group.ingredients->with_seed(cell.run_seed);
  }
  // There is no plan, because a plugin failed to make the components. So only the request
  // identifies the cell.
  const std::string ingredients =
      json_text({{"manifest", plan_key(cell, changes_of(group, cell))}, {"mixwell", fingerprint_}});
  return {sha256(ingredients), ingredients};
}

void Planner::find_references() {
  if (study_.reference_variant.empty()) return;
  const auto agree = [](const Json& a, const Json& b) {
    return std::all_of(a.items().begin(), a.items().end(), [&](const auto& entry) {
      return !b.contains(entry.key()) || b.at(entry.key()) == entry.value();
    });
  };
  std::vector<Json> axes;
  for (const SeedGroup& group : groups_) axes.push_back(parse_json(first_of(group).axes));
  for (std::size_t r = 0; r < groups_.size(); ++r) {
    const StudyCell& reference = first_of(groups_[r]);
    if (reference.variant != study_.reference_variant) continue;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const StudyCell& other = first_of(groups_[g]);
      if (other.variant == study_.reference_variant || other.model != reference.model) continue;
      if (agree(axes[r], axes[g])) groups_[g].references.push_back(r);
    }
  }
}

/// Hash of the file stamps of all libraries that a plan may depend on. The contents of a library
/// count only for cells that use the library (Ingredients).
std::string Planner::registry_fingerprint() {
  std::string text = MIXWELL_VERSION + framework_hash(hashes_);
  for (const std::string& folder : Registry::default_folders()) {
    if (!fs::is_directory(folder)) continue;
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".so") paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) text += fmt::format("{} {}\n", path, stamp_of(path));
  }
  return sha256(text);
}

/// The text that the changes of the cell are applied to. Reads each file once.
const Planner::Base& Planner::base_of(const StudyCell& cell) const {
  const auto [found, is_new] = bases_.try_emplace(cell.manifest);
  if (is_new && cell.manifest.empty()) found->second = {study_.base_path, study_.base_text};
  if (is_new && !cell.manifest.empty())
    found->second = {cell.manifest, read_toml_text(cell.manifest, "manifest")};
  return found->second;
}

std::string Planner::plan_key(const StudyCell& cell, const std::vector<Override>& changes) const {
  const char* const data = std::getenv("MIXWELL_DATA");
  Json all = {base_of(cell).text, fs::absolute(base_of(cell).path).string(),
              data == nullptr ? "" : data, fingerprint_};
  for (const Override& change : changes)
    all.push_back({change.key, change.value, static_cast<int>(change.effect)});
  return sha256(json_text(all));
}

/// Stores the plan with the hashes of the files that it depends on.
void Planner::take(SeedGroup& group, WorkerAnswer answer) {
  group.ingredients.reset();
  group.plan.reset();
  group.no_plan = answer.reason;
  group.is_bad_input = answer.status == WorkerStatus::bad_input;
  if (answer.status != WorkerStatus::done) return;
  group.plan = std::get<CellPlan>(std::move(answer.result));
  for (DataFile& file : group.plan->files) file.sha256 = hashes_.of(file.path);
}

bool Planner::recall(SeedGroup& group, const std::string& key) {
  const std::string text = remembered_.text("plan " + key);
  if (text.empty()) return false;
  std::optional<CellPlan> plan = plan_from(text);
  for (const DataFile& file : plan->files) {
    if (!fs::exists(file.path) || hashes_.of(file.path) != file.sha256) return false;
  }
  group.plan = std::move(plan);
  group.ingredients.reset();
  return true;
}

void Planner::refuse_bad_input() const {
  std::vector<std::string> reasons;
  std::size_t count = 0;
  std::string first;
  for (const SeedGroup& group : groups_) {
    if (!group.is_bad_input) continue;
    count += group.cells.size();
    if (std::find(reasons.begin(), reasons.end(), group.no_plan) != reasons.end()) continue;
    if (reasons.empty()) first = first_of(group).label;
    if (reasons.size() < 5) reasons.push_back(group.no_plan);
  }
  if (reasons.empty()) return;
  throw InputError(
      fmt::format("{}\n  This affects {} of {} cells. The first of these cells is {}. Correct the "
                  "error, or exclude these cells with [[study.exclude]].",
                  fmt::join(reasons, "\n"), count, cells_.size(), first));
}

namespace {

class DryRun {
 public:
  explicit DryRun(const StudyOptions& options)
      : options_(options),
        study_(read_study_file(options.path, options.quick)),
        planner_(options, study_, "", -1) {}

  StudyPlan plan() {
    for (SeedGroup& group : planner_.groups()) {
      if (group.keys.empty()) continue;
      group.chosen = changes_to(group.keys, candidate(group.keys, 0, group.place));
    }
    planner_.plan(true, [] {});
    if (planner_.stopped()) throw RunError("interrupted");
    std::vector<PlannedCell> cells(planner_.cells().size());
    for (SeedGroup& group : planner_.groups()) {
      for (const std::size_t k : group.cells) cells[k] = planned(group, planner_.cells()[k]);
    }
    std::erase_if(cells, [this](const PlannedCell& cell) {
      return !matches(options_.only, cell.label, cell.cell);
    });
    StudyPlan plan;
    plan.study = study_.name;
    plan.cells = std::move(cells);
    if (study_.tune) plan.tune_gradients = study_.tune->gradients;
    return plan;
  }

 private:
  PlannedCell planned(SeedGroup& group, const StudyCell& cell) {
    PlannedCell planned;
    planned.label = cell.label;
    planned.model = cell.model;
    planned.variant = cell.variant;
    planned.seed = cell.seed;
    planned.refused = group.no_plan;
    planned.tuned = !group.keys.empty();
    if (!planned.tuned) planned.cell = planner_.identity(group, cell).sha256.substr(0, 16);
    const Json axes = parse_json(cell.axes);
    for (const auto& [key, value] : axes.items())
      planned.axes.emplace_back(key, study_value(value));
    planned.status = cells_.read(planned.cell).row.status;
    if (group.plan) describe(*group.plan, planned);
    return planned;
  }

  static void describe(const CellPlan& plan, PlannedCell& planned) {
    planned.certificate = to_string(plan.certificate);
    planned.refused = plan.refused;
    if (!plan.cost) return;
    planned.gradients = plan.cost->gradients;
    planned.seconds = plan.cost->seconds;
    planned.reason = plan.cost->reason;
  }

  const StudyOptions& options_;
  const StudyFile study_;
  Planner planner_;
  const CellsNow cells_{options_.folder, LongTexts::skipped};
};

}  // namespace
}  // namespace mixwell::study

namespace mixwell {

StudyPlan plan_study(const StudyOptions& options) { return study::DryRun(options).plan(); }

}  // namespace mixwell
