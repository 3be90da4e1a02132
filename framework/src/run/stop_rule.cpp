// Decides whether a stop rule ends a run early.
// SPDX-License-Identifier: Apache-2.0
#include "run/stop_rule.hpp"

#include "results/draws_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mixwell {
namespace {

constexpr double growth = 1.2;

}  // namespace

std::int64_t StopRule::next_look(std::int64_t done) const {
  if (!is_set()) return std::numeric_limits<std::int64_t>::max();
  return (done / settings_.check_every + 1) * settings_.check_every;
}

std::optional<EndedBy> StopRule::met_by_cost(std::int64_t done, double gradients,
                                             double seconds) const {
  const bool on_grid = done % settings_.check_every == 0;
  if (settings_.gradients && on_grid && gradients >= *settings_.gradients)
    return EndedBy::gradients;
  if (settings_.seconds && seconds >= *settings_.seconds) return EndedBy::seconds;
  return std::nullopt;
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

std::optional<EndedBy> StopRule::met_by_draws(const DrawsFile& draws,
                                              const StopRequest* stop) const {
  SummaryOptions options;
  options.stop = stop;
  const DrawsSummary summary(draws, options);
  if (!summary.min_ess_reliable().value_or(false)) return std::nullopt;
  const bool enough = settings_.min_ess && summary.min_ess() >= *settings_.min_ess;
  if (enough && summary.all_have_ess()) return EndedBy::min_ess;
  if (settings_.mcse && summary.relative_error() <= *settings_.mcse) return EndedBy::mcse;
  return std::nullopt;
}

std::vector<std::string> StopRule::remarks(const Summary& summary) const {
  std::vector<std::string> texts;
  for (const NotJudged& one : summary.not_judged) {
    const bool by_ess = settings_.min_ess && one.lacks("ess_bulk");
    const bool by_mcse = settings_.mcse && one.lacks("mcse_mean");
    if (one.variable.empty() || !(by_ess || by_mcse)) continue;
    texts.push_back(
        fmt::format("{} cannot end this run, because the precision of {} is unknown: {}",
                    by_ess ? "stop_min_ess" : "stop_mcse", one.who(), one.because));
  }
  return texts;
}

}  // namespace mixwell
