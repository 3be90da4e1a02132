// How far a study has come: a line that rewrites itself, or lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#include "study_progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace mixwell::app {
namespace {

constexpr const char* wipe_line = "\r\033[K";

std::string time_left(const StudyProgress& progress) {
  constexpr double too_early = 0.5;
  if (progress.ended == 0 || progress.seconds < too_early) return "";
  const auto left = static_cast<double>(progress.total - progress.done - progress.failed);
  const double seconds = left * progress.seconds / static_cast<double>(progress.ended);
  if (seconds < 100) return fmt::format("  {:.0f} s left", seconds);
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  return minutes < 100 ? fmt::format("  {} min left", minutes)
                       : fmt::format("  {:.1f} h left", seconds / 3600);
}

double rate(const StudyProgress& progress) {
  return progress.seconds > 0 ? static_cast<double>(progress.ended) / progress.seconds : 0.0;
}

}  // namespace

std::string study_progress_line(const StudyProgress& progress) {
  if (progress.total == 0) return progress.stage;
  return fmt::format("{}  {} of {} done  {} failed  {} running  {:.3g} cells/s{}", progress.stage,
                     progress.done, progress.total, progress.failed, progress.running,
                     rate(progress), time_left(progress));
}

std::string study_progress_json(const StudyProgress& progress) {
  const nlohmann::ordered_json json = {{"progress",
                                        {{"stage", progress.stage},
                                         {"done", progress.done},
                                         {"failed", progress.failed},
                                         {"running", progress.running},
                                         {"total", progress.total},
                                         {"ended", progress.ended},
                                         {"seconds", progress.seconds}}}};
  return json.dump();
}

StudyDisplay::StudyDisplay(Style style) : style_(style) {}

StudyDisplay::~StudyDisplay() {
  if (style_ == Style::line && last_) std::fputs(wipe_line, stderr);
}

void StudyDisplay::show(const StudyProgress& progress) {
  if (style_ != Style::none && is_due()) print(progress);
}

void StudyDisplay::finish(const StudyProgress& progress) {
  if (style_ == Style::json) print(progress);
}

void StudyDisplay::remark(const std::string& text) {
  fmt::print(stderr, "{}mixwell: note: {}\n", style_ == Style::line ? wipe_line : "", text);
}

void StudyDisplay::print(const StudyProgress& progress) const {
  if (style_ == Style::line) {
    fmt::print(stderr, "{}{}", wipe_line, study_progress_line(progress));
  } else {
    fmt::print("{}\n", study_progress_json(progress));
  }
  std::fflush(style_ == Style::line ? stderr : stdout);
}

bool StudyDisplay::is_due() {
  using namespace std::chrono_literals;
  const auto interval = style_ == Style::line ? 100ms : 1000ms;
  const auto now = Clock::now();
  if (last_ && now - *last_ < interval) return false;
  last_ = now;
  return true;
}

}  // namespace mixwell::app
