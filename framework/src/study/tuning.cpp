// Fair tuning: Mixwell tunes each variant separately, with the same budget of gradients.
// SPDX-License-Identifier: Apache-2.0
#include "component/toml_text.hpp"
#include "study/file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell::study {
namespace {

/// The root x > 1 of x^(n+1) = x + 1, by fixed-point iteration.
double root(std::size_t n) {
  double x = 2.0;
  for (int k = 0; k < 64; ++k) x = std::pow(1.0 + x, 1.0 / static_cast<double>(n + 1));
  return x;
}

AxisValue number_value(double value) { return {toml_text(value), Json(value)}; }

AxisValue integer_value(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return {toml_text(whole), Json(whole)};
}

double between(const TuneKey& key, double from, double to, double u) {
  return key.log ? from * std::pow(to / from, u) : from + (to - from) * u;
}

AxisValue value_at(const TuneKey& key, double u) {
  if (!key.values.empty()) {
    const auto n = static_cast<double>(key.values.size());
    return key.values[static_cast<std::size_t>(std::min(u * n, n - 1.0))];
  }
  if (!key.integer) return number_value(between(key, key.from, key.to, u));
  const double value = std::floor(between(key, key.from, key.to + 1.0, u));
  return integer_value(std::clamp(value, std::ceil(key.from), std::floor(key.to)));
}

}  // namespace

std::vector<TuneKey> tune_keys(const StudyFile& study, const StudyCell& cell) {
  std::vector<TuneKey> keys;
  if (!study.tune) return keys;
  const auto put = [&](const TuneKey& key) {
    std::erase_if(keys, [&](const TuneKey& other) { return other.key == key.key; });
    keys.push_back(key);
  };
  for (const TuneKey& key : study.tune->keys) put(key);
  for (const Variant& model : study.models) {
    if (model.name == cell.model) std::for_each(model.tune.begin(), model.tune.end(), put);
  }
  for (const Variant& variant : study.variants) {
    if (variant.name == cell.variant) std::for_each(variant.tune.begin(), variant.tune.end(), put);
  }
  return keys;
}

std::vector<AxisValue> candidate(const std::vector<TuneKey>& keys, std::int64_t k,
                                 const std::string& text) {
  const double x = root(keys.size());
  std::vector<AxisValue> values;
  for (std::size_t j = 0; j < keys.size(); ++j) {
    const auto offset = static_cast<double>(seed_of(text + "/" + keys[j].key)) * 0x1p-52;
    const double place = offset + static_cast<double>(k) * std::pow(x, -static_cast<double>(j + 1));
    values.push_back(value_at(keys[j], place - std::floor(place)));
  }
  return values;
}

std::vector<Override> changes_to(const std::vector<TuneKey>& keys,
                                 const std::vector<AxisValue>& values) {
  std::vector<Override> changes;
  for (std::size_t j = 0; j < keys.size(); ++j)
    changes.push_back({keys[j].key, values[j].toml, keys[j].where});
  return changes;
}

std::vector<std::int64_t> rungs(const TuneSettings& settings) {
  const auto count = static_cast<double>(settings.rungs);
  std::vector<std::int64_t> candidates;
  for (std::int64_t r = 0; r < settings.rungs; ++r) {
    const double share = 1.0 - static_cast<double>(r) / count;
    const double exact = std::pow(static_cast<double>(settings.candidates), share);
    candidates.push_back(static_cast<std::int64_t>(std::ceil(exact - 1e-9)));
  }
  return candidates;
}

double budget_of_trial(const TuneSettings& settings, std::size_t rung, double spent) {
  const std::vector<std::int64_t> all = rungs(settings);
  const auto trials = static_cast<double>(all.size() - rung) * static_cast<double>(all[rung]);
  return (settings.gradients - spent) / trials;
}

std::vector<std::int64_t> best(const std::vector<std::pair<std::int64_t, double>>& scores,
                               std::int64_t count) {
  std::vector<std::pair<std::int64_t, double>> sorted = scores;
  for (auto& [index, score] : sorted) {
    if (std::isnan(score)) score = -std::numeric_limits<double>::infinity();
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::int64_t> chosen;
  for (std::size_t k = 0; k < sorted.size() && static_cast<std::int64_t>(k) < count; ++k)
    chosen.push_back(sorted[k].first);
  return chosen;
}

}  // namespace mixwell::study
