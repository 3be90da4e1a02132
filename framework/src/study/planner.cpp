// The plans of a study's cells: made once, remembered in the ledger, and what identifies a cell.
// SPDX-License-Identifier: Apache-2.0
#include "study/planner.hpp"

#include "files/json.hpp"
#include "files/sha256.hpp"
#include "files/toml_file.hpp"
#include "plugin/scan_cache.hpp"
#include "study/worker.hpp"

#include <mixwell/error.hpp>
#include <mixwell/lab/sampler.hpp>
#include <mixwell/version.hpp>

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace mixwell::study {

namespace fs = std::filesystem;

std::optional<WorkItem> RequestList::next() {
  if (tasks_.empty()) return std::nullopt;
  WorkItem task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

bool matches(const std::string& pattern, const std::string& label, const std::string& cell) {
  if (pattern.empty() || cell.starts_with(pattern)) return true;
  if (pattern.find_first_of("*?[") == std::string::npos)
    return label.find(pattern) != std::string::npos;
  return ::fnmatch(pattern.c_str(), label.c_str(), 0) == 0;
}

std::string manifest_with_seed(std::string manifest, const std::string& seed) {
  const std::size_t run = manifest.find("\n[run]\n");
  const std::size_t from = manifest.find("\nseed = ", run) + 8;
  return manifest.replace(from, manifest.find_first_not_of("0123456789", from) - from, seed);
}

Planner::Planner(const StudyOptions& options, const StudyFile& study, Ledger* ledger, int lock)
    : options_(options),
      study_(study),
      cells_(expand(study)),
      ledger_(ledger),
      hashes_(ledger),
      pool_({options.program, jobs(), study.memory, planning_seconds(), lock, options.stop}) {
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const std::string place = json_text(group_of(cells_[k]));
    const auto [found, is_new] = places.emplace(place, groups_.size());
    if (is_new)
      groups_.push_back({{}, place, tune_keys(study_, cells_[k]), {}, false, true, {}, {}, {}, {}});
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
    throw InputError(
        fmt::format("{} jobs: must be 1 to {}, eight for each core of this machine "
                    "(--jobs)",
                    options_.jobs, most_threads()));
  if (options_.jobs > 0) return options_.jobs;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, cores / static_cast<int>(study_.threads));
}

/// Making components may take its time on a busy machine, but not for ever.
std::optional<double> Planner::planning_seconds() const {
  constexpr double least = 60.0;
  if (!study_.cell_seconds) return std::nullopt;
  return std::max(least, *study_.cell_seconds);
}

Json Planner::request(const char* task, const StudyCell& cell,
                      const std::vector<Override>& changes) const {
  return {{"do", task},
          {"text", base_of(cell).text},
          {"path", base_of(cell).path},
          {"changes", changes_json(changes)},
          {"threads", study_.threads}};
}

std::vector<Override> Planner::changes_of(const SeedGroup& group, const StudyCell& cell) const {
  return with_seed(cell, group.chosen, std::stoll(cell.changes.back().value));
}

void Planner::plan(bool estimate, const std::function<void()>& tick) {
  std::vector<WorkItem> tasks;
  std::vector<std::string> keys(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!groups_[g].ready) continue;
    const StudyCell& cell = cells_[groups_[g].cells.front()];
    const auto changes = changes_of(groups_[g], cell);
    keys[g] = plan_key(cell, changes);
    if (!estimate && recall(groups_[g], keys[g])) continue;
    Json what = request("plan", cell, changes);
    what["estimate"] = estimate;
    tasks.push_back({g, json_text(what)});
  }
  std::vector<std::pair<std::string, std::string>> fresh;
  RequestList batch(
      std::move(tasks),
      [&](std::size_t g, Json answer) {
        if (status_of(answer) == WorkerStatus::done)
          fresh.emplace_back(keys[g], remembered(answer));
        groups_[g].plan = std::move(answer);
        groups_[g].ingredients.reset();
      },
      tick);
  pool_.run(batch);
  if (stopped()) return;
  if (ledger_ != nullptr && !fresh.empty()) ledger_->know_plans(fresh);
  refuse_bad_input();
}

Identity Planner::identity(SeedGroup& group, const StudyCell& cell) {
  if (status_of(group.plan) == WorkerStatus::done) {
    if (!group.ingredients)
      group.ingredients.emplace(group.plan, hashes_, study_.framework == "hash");
    return group.ingredients->with_seed(cell.changes.back().value);
  }
  // Its plugin could not even make the components: what it would be is all there is to know.
  Identity identity;
  identity.ingredients = {{"manifest", plan_key(cell, changes_of(group, cell))},
                          {"mixwell", fingerprint_}};
  identity.sha256 = sha256(json_text(identity.ingredients));
  return identity;
}

void Planner::find_references() {
  if (study_.reference_variant.empty()) return;
  const auto agree = [](const Json& a, const Json& b) {
    return std::all_of(a.items().begin(), a.items().end(), [&](const auto& entry) {
      return !b.contains(entry.key()) || b.at(entry.key()) == entry.value();
    });
  };
  std::vector<Json> places;
  for (const SeedGroup& group : groups_) places.push_back(parse_json(group.place));
  for (std::size_t r = 0; r < groups_.size(); ++r) {
    if (places[r].at("variant") != study_.reference_variant) continue;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (places[g].at("variant") == study_.reference_variant) continue;
      if (places[g].at("model") != places[r].at("model")) continue;
      if (agree(places[r].at("axes"), places[g].at("axes"))) groups_[g].references.push_back(r);
    }
  }
}

/// All libraries that a plan may depend on, as they lie there: their contents count for cells that
/// use them (Ingredients).
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

/// The text that the cell's changes apply to; each file is read once.
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

/// A plan with the hashes of the files it was made from: it depends on them.
std::string Planner::remembered(Json plan) {
  for (Json& file : plan["files"]) file["sha256"] = hashes_.of(file.at("path").get<std::string>());
  return json_text(plan);
}

bool Planner::recall(SeedGroup& group, const std::string& key) {
  const std::string text = ledger_ == nullptr ? "" : ledger_->known_plan(key);
  if (text.empty()) return false;
  Json plan = parse_json(text);
  for (const Json& file : plan.at("files")) {
    const auto path = file.at("path").get<std::string>();
    if (!fs::exists(path) || hashes_.of(path) != file.at("sha256")) return false;
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
    if (group.plan.is_null() || status_of(group.plan) != WorkerStatus::bad_input) continue;
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

}  // namespace mixwell::study
