// How far a run has come: a line that rewrites itself, or lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace mixwell::app {
namespace {

constexpr const char* wipe_line = "\r\033[K";

const char* name_of(PhaseKind phase) { return phase == PhaseKind::warmup ? "warm-up" : "sampling"; }

double rate_of(const Progress& progress) {
  return progress.seconds > 0 ? static_cast<double>(progress.done) / progress.seconds : 0.0;
}

std::string time_left(const Progress& progress) {
  constexpr double too_early = 0.5;
  const double rate = rate_of(progress);
  if (!(rate > 0) || progress.seconds < too_early) return "";
  const double seconds = static_cast<double>(progress.total - progress.done) / rate;
  if (seconds < 100) return fmt::format("{:.0f} s left", seconds);
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  return minutes < 100 ? fmt::format("{} min left", minutes)
                       : fmt::format("{:.1f} h left", seconds / 3600);
}

}  // namespace

std::string progress_line(const Progress& progress) {
  const auto percent = progress.total > 0 ? 100 * progress.done / progress.total : 0;
  return fmt::format("{}  {} %  {:.3g} sweeps/s  {}  {} divergences", name_of(progress.phase),
                     percent, rate_of(progress), time_left(progress), progress.divergences);
}

std::string progress_json(const Progress& progress) {
  const char* const phase = progress.phase == PhaseKind::warmup ? "warmup" : "sampling";
  const nlohmann::ordered_json json = {{"progress",
                                        {{"phase", phase},
                                         {"done", progress.done},
                                         {"total", progress.total},
                                         {"seconds", progress.seconds},
                                         {"divergences", progress.divergences}}}};
  return json.dump();
}

ProgressDisplay::ProgressDisplay(Style style) : style_(style) {}

ProgressDisplay::~ProgressDisplay() {
  if (style_ == Style::line && last_) std::fputs(wipe_line, stderr);
}

void ProgressDisplay::show(const Progress& progress) {
  if (style_ == Style::none || !is_due()) return;
  if (style_ == Style::line) {
    fmt::print(stderr, "{}{}", wipe_line, progress_line(progress));
  } else {
    fmt::print("{}\n", progress_json(progress));
  }
  std::fflush(style_ == Style::line ? stderr : stdout);
}

bool ProgressDisplay::is_due() {
  using namespace std::chrono_literals;
  const auto interval = style_ == Style::line ? 100ms : 1000ms;
  const auto now = Clock::now();
  if (last_ && now - *last_ < interval) return false;
  last_ = now;
  return true;
}

}  // namespace mixwell::app
