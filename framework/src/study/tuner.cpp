// Runs fair tuning: runs trials in worker processes and keeps the results in records.
// SPDX-License-Identifier: Apache-2.0
#include "study/tuner.hpp"

#include "base/present_call.hpp"
#include "files/json.hpp"
#include "files/sha256.hpp"
#include "study/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>
#include <thread>

namespace mixwell::study {

std::string Tuner::tuning_id(SeedGroup& group) {
  const TuneSettings& settings = *study_.tune;
  Json text = {settings.gradients,  settings.objective, settings.seed,
               settings.candidates, settings.rungs,     group.place};
  for (const TuneKey& key : group.keys) {
    Json values = Json::array();
    for (const AxisValue& value : key.values) values.push_back(value.toml);
    text.push_back({key.key, values, key.from, key.to, key.log, key.integer});
  }
  StudyCell first = planner_.first_of(group);
  first.run_seed = 0;
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
  const CallMark mark("the trials of a tuning (an interrupted trial starts again)");
  std::vector<std::size_t> left = begin();
  if (left.empty()) {
    if (!ledger_.outline().fact("tunings").empty()) ledger_.set({{"tunings", "[]"}});
    return;
  }
  planner_.plan(false, [this] { reporter_.tell(); });
  if (planner_.stopped()) return;
  name_tunings(left);
  expect_trials(left);
  for (;;) {
    const Candidates field = take_turns(left);
    tune(field);
    for (const auto& [g, candidates] : field) claims_.release(claim_of(g));
    if (left.empty() || mode_ != OpenTunings::waits || planner_.stopped()) break;
    reporter_.tell();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  for (const std::size_t g : left) planner_.groups()[g].ready = false;
  reporter_.progress() = {};
}

/// From here on, progress counts trials. Every tuning has the same number of trials.
void Tuner::expect_trials(const std::vector<std::size_t>& tuned) {
  StudyProgress& progress = reporter_.progress();
  progress.stage = "tuning";
  reporter_.start_clock();
  std::int64_t of_each = 0;
  for (const std::int64_t candidates : rungs(*study_.tune)) of_each += candidates;
  for (const std::size_t g : tuned) {
    if (planner_.groups()[g].wanted) progress.total += of_each;
  }
  reporter_.tell();
}

void Tuner::count_trial(bool has_score) {
  StudyProgress& progress = reporter_.progress();
  ++(has_score ? progress.done : progress.failed);
}

/// The groups that have keys to tune. Each group provisionally uses candidate 0.
std::vector<std::size_t> Tuner::begin() {
  std::vector<std::size_t> tuned;
  std::vector<SeedGroup>& groups = planner_.groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].keys.empty()) continue;
    groups[g].chosen = changes_of(groups[g], 0);
    tuned.push_back(g);
  }
  return tuned;
}

void Tuner::name_tunings(const std::vector<std::size_t>& tuned) {
  Json ids = Json::array();
  for (const std::size_t g : tuned) {
    SeedGroup& group = planner_.groups()[g];
    group.tuning = tuning_id(group);
    ids.push_back(group.tuning);
  }
  ledger_.set({{"tunings", json_text(ids)}, {"tune_gradients", json_text(study_.tune->gradients)}});
}

std::string Tuner::claim_of(std::size_t g) const { return "tune-" + planner_.groups()[g].tuning; }

/// Returns the groups that this process tunes now, with all candidates, and removes them from
/// `left`. A group stays in `left` if its tuning has no choice yet and another process works on the
/// tuning.
Tuner::Candidates Tuner::take_turns(std::vector<std::size_t>& left) {
  Candidates field;
  std::set<std::string> mine;
  std::vector<std::int64_t> all(static_cast<std::size_t>(study_.tune->candidates));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  std::erase_if(left, [&](std::size_t g) {
    const SeedGroup& group = planner_.groups()[g];
    const bool is_open = group.wanted && !ledger_.has_chosen(group.tuning);
    if (is_open && !mine.contains(group.tuning)) {
      const bool is_mine = mode_ != OpenTunings::leaves && claims_.take(claim_of(g));
      if (is_mine) mine.insert(group.tuning);
      ledger_.take_tuning(group.tuning);
      if (!is_mine && !ledger_.has_chosen(group.tuning)) return false;
    }
    field[g] = all;
    return true;
  });
  return field;
}

void Tuner::tune(Candidates field) {
  std::vector<SeedGroup>& groups = planner_.groups();
  const std::vector<std::int64_t> all = rungs(*study_.tune);
  for (std::size_t r = 0; r < all.size() && !planner_.stopped(); ++r) {
    const auto scores = run_rung(static_cast<int>(r), field);
    const std::int64_t keep = r + 1 < all.size() ? all[r + 1] : 1;
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
    if (ledger_.has_chosen(groups[g].tuning)) continue;
    ledger_.choose(groups[g].tuning, static_cast<std::int64_t>(all.size()) - 1, winner.front());
  }
}

Tuner::Scores Tuner::run_rung(int number, const Candidates& field) {
  std::vector<TrialPlace> places;
  std::vector<WorkItem> tasks;
  for (const auto& [g, candidates] : field) {
    const SeedGroup& group = planner_.groups()[g];
    const double budget = budget_of_trial(*study_.tune, static_cast<std::size_t>(number),
                                          ledger_.spent(group.tuning, number));
    for (const std::int64_t k : candidates) {
      if (!group.wanted) continue;
      if (const auto score = ledger_.known_score(group.tuning, number, k)) {
        count_trial(!std::isnan(*score));
      } else {
        tasks.push_back({places.size(), trial_request(group, number, budget, k)});
        places.emplace_back(g, k);
      }
    }
  }
  run_trials(number, std::move(tasks), places);
  return complete(number, field);
}

Tuner::Scores Tuner::complete(int number, const Candidates& field) const {
  Scores scores;
  for (const auto& [g, candidates] : field) {
    std::vector<std::pair<std::int64_t, double>> found;
    for (const std::int64_t k : candidates)
      if (const auto score = ledger_.known_score(planner_.groups()[g].tuning, number, k))
        found.emplace_back(k, *score);
    if (found.size() == candidates.size()) scores[g] = std::move(found);
  }
  return scores;
}

void Tuner::run_trials(int number, std::vector<WorkItem> tasks,
                       const std::vector<TrialPlace>& places) {
  planner_.pool().run(
      std::move(tasks),
      [&](std::size_t id, const WorkerAnswer& answer) {
        if (answer.status == WorkerStatus::suspended) return;
        TrialResult result;
        result.reason = answer.reason;
        if (answer.status == WorkerStatus::done) result = std::get<TrialResult>(answer.result);
        keep_trial(planner_.groups()[places[id].first], number, places[id].second, result);
        count_trial(!std::isnan(result.score));
        ++reporter_.progress().ended;
      },
      [this](std::size_t running) {
        reporter_.progress().running = static_cast<std::int64_t>(running);
        reporter_.tell();
      });
}

TrialRequest Tuner::trial_request(const SeedGroup& group, int number, double budget,
                                  std::int64_t k) const {
  const std::int64_t seed =
      seed_of(fmt::format("tune/{}/{}/{}", study_.tune->seed, group.place, number));
  const StudyCell& cell = planner_.first_of(group);
  return {planner_.manifest_of(cell, changes_with(study_, cell, changes_of(group, k), seed)),
          planner_.threads(), budget, study_.tune->objective};
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
