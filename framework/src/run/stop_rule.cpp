// When a run has done enough before its last draw.
// SPDX-License-Identifier: Apache-2.0
#include "run/stop_rule.hpp"

#include "files/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell {
namespace {

using Json = nlohmann::ordered_json;

constexpr double growth = 1.2;

/// The largest mcse_mean / sd; infinite where a variable that moves has none.
double largest_relative_error(const Json& summary) {
  double largest = 0.0;
  for (const auto& [name, row] : summary.at("variables").items()) {
    if (row.at("sd").is_null() || row.at("sd") == 0.0) continue;
    if (row.at("mcse_mean").is_null()) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, row.at("mcse_mean").get<double>() / row.at("sd").get<double>());
  }
  return largest;
}

}  // namespace

std::int64_t StopRule::next_look(std::int64_t done) const {
  if (!is_set()) return std::numeric_limits<std::int64_t>::max();
  return (done / settings_.check_every + 1) * settings_.check_every;
}

std::string StopRule::met_by_cost(std::int64_t done, double gradients, double seconds) const {
  const bool on_grid = done % settings_.check_every == 0;
  if (settings_.gradients && on_grid && gradients >= *settings_.gradients) return "gradients";
  if (settings_.seconds && seconds >= *settings_.seconds) return "seconds";
  return {};
}

bool StopRule::looks_at_draws(std::int64_t done) const {
  if (!settings_.min_ess && !settings_.mcse) return false;
  if (done % settings_.check_every != 0) return false;
  const std::int64_t wanted = done / settings_.check_every;
  std::int64_t look = 1;
  while (look < wanted) {
    const double grown = std::ceil(growth * static_cast<double>(look));
    look = std::max(look + 1, static_cast<std::int64_t>(grown));
  }
  return look == wanted;
}

std::string StopRule::met_by_draws(const DrawsFile& draws) const {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const Json summary = parse_json(summary_json(draws, unknown, unknown));
  const Json& sampler = summary.at("sampler");
  if (sampler.at("min_ess_reliable") != true) return {};
  if (settings_.min_ess && sampler.at("min_ess") >= *settings_.min_ess) return "min_ess";
  if (settings_.mcse && largest_relative_error(summary) <= *settings_.mcse) return "mcse";
  return {};
}

}  // namespace mixwell
