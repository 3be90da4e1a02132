// How far a run has come: a line that rewrites itself, or lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#include "app/progress.hpp"

#include "files/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mixwell::app {
namespace {

const char* name_of(PhaseKind phase) { return phase == PhaseKind::warmup ? "warm-up" : "sampling"; }

double rate_of(const Progress& progress) {
  return progress.seconds > 0 ? static_cast<double>(progress.done) / progress.seconds : 0.0;
}

std::string left_of(const Progress& progress) {
  constexpr double too_early = 0.5;
  const double rate = rate_of(progress);
  if (!(rate > 0) || progress.seconds < too_early) return "";
  return time_left(static_cast<double>(progress.total - progress.done) / rate);
}

}  // namespace

std::string progress_line(const Progress& progress) {
  const auto percent = progress.total > 0 ? 100 * progress.done / progress.total : 0;
  return fmt::format("{}  {} %  {:.3g} sweeps/s  {}  {} divergences", name_of(progress.phase),
                     percent, rate_of(progress), left_of(progress), progress.divergences);
}

std::string progress_json(const Progress& progress) {
  const char* const phase = progress.phase == PhaseKind::warmup ? "warmup" : "sampling";
  const nlohmann::ordered_json json = {{"progress",
                                        {{"phase", phase},
                                         {"done", progress.done},
                                         {"total", progress.total},
                                         {"seconds", progress.seconds},
                                         {"divergences", progress.divergences}}}};
  return json_text(json);
}

void ProgressDisplay::show(const Progress& progress) {
  if (!display_.is_due()) return;
  const bool is_line = display_.style() == Display::Style::line;
  display_.print(is_line ? progress_line(progress) : progress_json(progress));
}

}  // namespace mixwell::app
