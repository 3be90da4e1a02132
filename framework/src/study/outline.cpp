// Reads the outline of a study, without the results of cells, from the study's records.
// SPDX-License-Identifier: Apache-2.0
#include "study/records.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

namespace mixwell::study {
namespace {

/// The tunings of the present study that have trials.
std::map<std::string, const Trials*> current(const Outline& outline) {
  std::map<std::string, const Trials*> found;
  const std::string ids = outline.fact("tunings");
  if (ids.empty()) return found;
  for (const auto& id : parse_json(ids).get<std::vector<std::string>>()) {
    const auto trials = outline.tunings.find(id);
    if (trials != outline.tunings.end() && !trials->second.empty()) found[id] = &trials->second;
  }
  return found;
}

auto order_of(const auto& one) { return std::tie(one.model, one.variant, one.axes); }

/// Counts of the trials in one rung.
struct Rung {
  std::int64_t trials = 0;
  std::int64_t scored = 0;

  void add(const TrialRow& trial) {
    ++trials;
    scored += std::isnan(trial.score) ? 0 : 1;
  }
  /// Whether scores decided which candidates continue. `kept`: the number of candidates that
  /// continue.
  bool has_decided(std::int64_t kept, bool is_last) const {
    return scored >= kept || (trials == kept && !is_last);
  }
};

bool is_tuned(const std::map<std::int64_t, Rung>& rungs) {
  for (auto at = rungs.begin(); at != rungs.end(); ++at) {
    const auto next = std::next(at);
    const bool is_last = next == rungs.end();
    if (!at->second.has_decided(is_last ? 1 : next->second.trials, is_last)) return false;
  }
  return true;
}

TuningSum sum_of(const std::string& tuning, const Trials& trials) {
  const TrialRow& first = trials.begin()->second;
  TuningSum sum;
  sum.tuning = tuning;
  sum.model = first.model;
  sum.variant = first.variant;
  sum.axes = first.axes;
  sum.gradients = unknown;
  std::map<std::int64_t, Rung> rungs;
  bool has_winner = false;
  for (const auto& [place, trial] : trials) {
    ++sum.trials;
    sum.scored += std::isnan(trial.score) ? 0 : 1;
    if (!std::isnan(trial.gradients))
      sum.gradients = trial.gradients + (std::isnan(sum.gradients) ? 0.0 : sum.gradients);
    sum.reason = std::max(sum.reason, trial.reason);
    rungs[trial.rung].add(trial);
    has_winner = has_winner || trial.winner;
  }
  if (has_winner) sum.tuned = is_tuned(rungs);
  return sum;
}

/// Throws nlohmann's exceptions.
Trials trials_in(const Json& rows, const std::string& tuning) {
  Trials trials;
  for (TrialRow& trial : rows_in<TrialRow>(rows, "tune")) {
    if (trial.tuning != tuning)
      throw Json::other_error::create(501, "a trial belongs to another tuning", &rows);
    parse_json(trial.axes);
    parse_json(trial.values);
    trials.insert_or_assign({trial.rung, trial.candidate}, std::move(trial));
  }
  return trials;
}

/// Like use_record(), but adds a damaged file to outline.damaged.
template <class Use>
auto use_part(const std::string& file, Outline& outline, Use use,
              LongTexts texts = LongTexts::kept) {
  bool is_damaged = false;
  auto used = use_record(file, use, texts, &is_damaged);
  if (is_damaged) outline.damaged.push_back(file);
  return used;
}

}  // namespace

std::string Outline::fact(const std::string& key) const {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

std::vector<TrialRow> Outline::trials() const {
  std::vector<TrialRow> all;
  for (const auto& [id, trials] : current(*this))
    for (const auto& [place, trial] : *trials) all.push_back(trial);
  std::stable_sort(all.begin(), all.end(), [](const TrialRow& a, const TrialRow& b) {
    return std::tuple_cat(order_of(a), std::tie(a.rung, a.candidate)) <
           std::tuple_cat(order_of(b), std::tie(b.rung, b.candidate));
  });
  return all;
}

std::vector<TuningSum> Outline::sums() const {
  std::vector<TuningSum> all;
  for (const auto& [id, trials] : current(*this)) all.push_back(sum_of(id, *trials));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  return all;
}

void read_places(const std::string& folder, LongTexts texts, Outline& outline) {
  const auto read = [&](const Json& rows) {
    outline.places = rows_in<StudyPlace>(rows, "points");
    outline.history.clear();
    for (PastCell& past : rows_in<PastCell>(rows, "history"))
      outline.history[past.label].push_back(std::move(past));
    return true;
  };
  use_part(record_file(folder, RecordKind::places), outline, read, texts);
}

void read_tuning(const std::string& folder, const std::string& tuning, Outline& outline) {
  auto trials = use_part(record_file(folder, RecordKind::tuning, tuning), outline,
                         [&](const Json& rows) { return trials_in(rows, tuning); });
  if (trials) outline.tunings[tuning] = std::move(*trials);
}

Outline read_outline(const std::string& folder, LongTexts texts) {
  Outline outline;
  use_part(record_file(folder, RecordKind::study), outline, [&](const Json& rows) {
    for (const Json& fact : rows.at("study"))
      outline.facts[fact.at("key").get<std::string>()] = fact.at("value").get<std::string>();
    return current(outline).size();
  });
  read_places(folder, texts, outline);
  for (const std::string& tuning : recorded_keys(folder, RecordKind::tuning))
    read_tuning(folder, tuning, outline);
  return outline;
}

Json json_of_places(const Outline& outline) {
  std::vector<PastCell> history;
  for (const auto& [label, cells] : outline.history)
    history.insert(history.end(), cells.begin(), cells.end());
  return {{"points", json_of_rows(outline.places)}, {"history", json_of_rows(history)}};
}

Json json_of(const Trials& trials) {
  std::vector<TrialRow> all;
  for (const auto& [place, trial] : trials) all.push_back(trial);
  return {{"tune", json_of_rows(all)}};
}

}  // namespace mixwell::study
