// Fair tuning as it runs: trials in worker processes, remembered in the ledger.
// SPDX-License-Identifier: Apache-2.0
#include "study/tuner.hpp"

#include "files/json.hpp"
#include "files/sha256.hpp"
#include "study/expansion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mixwell::study {
namespace {

struct TrialPlace {
  std::size_t group = 0;
  std::int64_t candidate = 0;
};

}  // namespace

std::string Tuner::tuning_id(SeedGroup& group) {
  const TuneSettings& settings = *study_.tune;
  Json text = {settings.gradients, settings.objective, settings.seed, settings.candidates,
               settings.rungs};
  for (const TuneKey& key : group.keys) {
    Json values = Json::array();
    for (const AxisValue& value : key.values) values.push_back(value.toml);
    text.push_back({key.key, values, key.from, key.to, key.log, key.integer});
  }
  StudyCell first = planner_.first_of(group);
  first.changes.back().value = "0";
  text.push_back(planner_.identity(group, first).sha256);
  return sha256(json_text(text)).substr(0, 16);
}

std::vector<AxisValue> Tuner::values_of(const SeedGroup& group, std::int64_t k) const {
  return candidate(group.keys, k, fmt::format("tune/{}/{}", study_.tune->seed, group.place));
}

std::vector<Override> Tuner::changes_of(const SeedGroup& group, std::int64_t k) const {
  return changes_to(group.keys, values_of(group, k));
}

void Tuner::run() {
  std::vector<std::size_t> tuned;
  std::vector<SeedGroup>& groups = planner_.groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].keys.empty()) continue;
    groups[g].chosen = changes_of(groups[g], 0);
    tuned.push_back(g);
  }
  if (tuned.empty()) return;
  planner_.plan(false, [this] { reporter_.tell(); });
  if (planner_.stopped()) return;
  reporter_.progress().stage = "tuning";
  Json ids = Json::array();
  for (const std::size_t g : tuned) {
    groups[g].tuning = tuning_id(groups[g]);
    ids.push_back(groups[g].tuning);
  }
  ledger_.set("tunings", json_text(ids));
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
    groups[g].chosen = changes_of(groups[g], winner.front());
    ledger_.choose(groups[g].tuning, static_cast<std::int64_t>(all.size()) - 1, winner.front());
  }
}

Tuner::Scores Tuner::run_rung(int number, const Rung& rung,
                              const std::map<std::size_t, std::vector<std::int64_t>>& field) {
  std::vector<TrialPlace> places;
  std::map<std::pair<std::size_t, std::int64_t>, double> known;
  std::vector<WorkItem> tasks;
  for (const auto& [g, candidates] : field) {
    const SeedGroup& group = planner_.groups()[g];
    for (const std::int64_t k : candidates) {
      if (const auto score = ledger_.known_score(group.tuning, number, k)) {
        known[{g, k}] = *score;
      } else if (group.wanted) {
        tasks.push_back({places.size(), trial_request(group, number, rung, k)});
        places.push_back({g, k});
      }
    }
  }
  RequestList batch(
      std::move(tasks),
      [&](std::size_t id, const WorkerAnswer& answer) {
        if (answer.status == WorkerStatus::suspended) return;
        TrialResult result;
        result.reason = answer.reason;
        if (answer.status == WorkerStatus::done) result = std::get<TrialResult>(answer.result);
        const auto [g, k] = places[id];
        keep_trial(planner_.groups()[g], number, k, result);
        known[{g, k}] = result.score;
      },
      [this] { reporter_.tell(); });
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

TrialRequest Tuner::trial_request(const SeedGroup& group, int number, const Rung& rung,
                                  std::int64_t k) const {
  const std::int64_t seed =
      seed_of(fmt::format("tune/{}/{}/{}", study_.tune->seed, group.place, number));
  const StudyCell& cell = planner_.first_of(group);
  return {planner_.manifest_of(cell, with_seed(cell, changes_of(group, k), seed)),
          planner_.threads(), rung.budget, study_.tune->objective};
}

void Tuner::keep_trial(const SeedGroup& group, int number, std::int64_t k,
                       const TrialResult& result) {
  const StudyCell& cell = planner_.first_of(group);
  const std::vector<AxisValue> values = values_of(group, k);
  Json tried = Json::object();
  for (std::size_t j = 0; j < values.size(); ++j) tried[group.keys[j].key] = values[j].json;
  const StudyTrial trial{.model = cell.model,
                         .variant = cell.variant,
                         .axes = cell.axes,
                         .rung = number,
                         .candidate = k,
                         .values = json_text(tried),
                         .objective = study_.tune->objective,
                         .score = result.score,
                         .gradients = result.gradients,
                         .seconds = result.seconds,
                         .reason = result.reason};
  reporter_.patiently([&] { ledger_.know_trial(group.tuning, trial); });
}

}  // namespace mixwell::study
