// Fair tuning as it runs: trials in worker processes, remembered in the ledger.
// SPDX-License-Identifier: Apache-2.0
#include "study/tuner.hpp"

#include "files/json.hpp"
#include "files/sha256.hpp"
#include "study/expansion.hpp"
#include "study/metrics.hpp"

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
  StudyCell first = planner_.cells()[group.cells.front()];
  first.changes.back().value = "0";
  text.push_back(planner_.identity(group, first).sha256);
  return sha256(json_text(text)).substr(0, 16);
}

std::vector<Override> Tuner::values_of(const SeedGroup& group, std::int64_t k) {
  const TuneSettings& settings = *study_.tune;
  const auto values =
      candidate(group.keys, k, fmt::format("tune/{}/{}", settings.seed, group.place));
  std::vector<Override> changes;
  for (std::size_t j = 0; j < values.size(); ++j)
    changes.push_back({group.keys[j].key, values[j].toml, group.keys[j].where});
  return changes;
}

Json Tuner::values_json(const SeedGroup& group, std::int64_t k) {
  const TuneSettings& settings = *study_.tune;
  const auto values =
      candidate(group.keys, k, fmt::format("tune/{}/{}", settings.seed, group.place));
  Json json = Json::object();
  for (std::size_t j = 0; j < values.size(); ++j) json[group.keys[j].key] = values[j].json;
  return json;
}

void Tuner::run() {
  std::vector<std::size_t> tuned;
  std::vector<SeedGroup>& groups = planner_.groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].keys.empty()) continue;
    groups[g].chosen = values_of(groups[g], 0);
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
    groups[g].chosen = values_of(groups[g], winner.front());
    ledger_.choose(groups[g].tuning, static_cast<int>(all.size()) - 1,
                   static_cast<int>(winner.front()));
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
      const Json trial = ledger_.known_trial(group.tuning, number, static_cast<int>(k));
      if (!trial.is_null()) {
        known[{g, k}] = number_in(trial, "score");
      } else if (group.wanted) {
        tasks.push_back({places.size(), json_text(trial_request(group, number, rung, k))});
        places.push_back({g, k});
      }
    }
  }
  RequestList batch(
      std::move(tasks),
      [&](std::size_t id, Json answer) {
        if (status_of(answer) == WorkerStatus::suspended) return;
        const auto [g, k] = places[id];
        keep_trial(planner_.groups()[g], number, k, answer);
        known[{g, k}] = number_in(answer, "score");
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

Json Tuner::trial_request(const SeedGroup& group, int number, const Rung& rung, std::int64_t k) {
  const TuneSettings& settings = *study_.tune;
  const std::int64_t seed =
      seed_of(fmt::format("tune/{}/{}/{}", settings.seed, group.place, number));
  const StudyCell& cell = planner_.cells()[group.cells.front()];
  Json what = planner_.request("trial", cell, study::with_seed(cell, values_of(group, k), seed));
  what["budget"] = rung.budget;
  what["objective"] = settings.objective;
  return what;
}

void Tuner::keep_trial(const SeedGroup& group, int number, std::int64_t k, Json answer) {
  answer["rung"] = number;
  answer["candidate"] = k;
  answer["values"] = values_json(group, k);
  answer["objective"] = study_.tune->objective;
  reporter_.patiently([&] { ledger_.know_trial(group.tuning, group.place, answer); });
}

}  // namespace mixwell::study
