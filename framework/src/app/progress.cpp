// Shows the progress of a run or a study.
// SPDX-License-Identifier: Apache-2.0
#include "app/progress.hpp"

#include "files/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace mixwell::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* wipe_line = "\r\033[K";
constexpr double too_early = 0.5;  ///< seconds before the remaining time is estimated

bool can_rewrite_lines() {
  const char* const terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) != "dumb" &&
         ::isatty(STDERR_FILENO) == 1;
}

/// "42 s left", "3 min left", "2.5 h left".
std::string time_left(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s left", seconds);
  const auto minutes = static_cast<std::int64_t>(seconds / 60);
  return minutes < 100 ? fmt::format("{} min left", minutes)
                       : fmt::format("{:.1f} h left", seconds / 3600);
}

/// Rate per second; 0 if no time has passed.
double rate(std::int64_t done, double seconds) {
  return seconds > 0 ? static_cast<double>(done) / seconds : 0.0;
}

std::string left_of(const Progress& progress) {
  const double done = rate(progress.done, progress.seconds);
  if (!(done > 0) || progress.seconds < too_early) return "";
  return time_left(static_cast<double>(progress.total - progress.done) / done);
}

std::string left_of(const StudyProgress& progress) {
  if (progress.ended == 0 || progress.seconds < too_early) return "";
  const auto left = static_cast<double>(progress.total - progress.done - progress.failed);
  return "  " + time_left(left * progress.seconds / static_cast<double>(progress.ended));
}

/// "sampling  42 %  1.2e+04 sweeps/s  8 s left  0 divergences"
std::string line_of(const Progress& progress) {
  const auto percent = progress.total > 0 ? 100 * progress.done / progress.total : 0;
  return fmt::format("{}  {} %  {:.3g} sweeps/s  {}  {} divergences",
                     progress.phase == PhaseKind::warmup ? "warmup" : "sampling", percent,
                     rate(progress.done, progress.seconds), left_of(progress),
                     progress.divergences);
}

/// "running  120 of 1000 cells done  3 failed  2 running  4.1 cells/s  4 min left"
std::string line_of(const StudyProgress& progress) {
  if (progress.total == 0) return progress.stage;
  const std::string elsewhere =
      progress.elsewhere == 0 ? "" : fmt::format("  {} elsewhere", progress.elsewhere);
  const char* const unit = progress.stage == "tuning" ? "trials" : "cells";
  return fmt::format("{}  {} of {} {} done  {} failed  {} running{}  {:.3g} {}/s{}", progress.stage,
                     progress.done, progress.total, unit, progress.failed, progress.running,
                     elsewhere, rate(progress.ended, progress.seconds), unit, left_of(progress));
}

Json json_of(const Progress& progress) {
  return {{"phase", progress.phase == PhaseKind::warmup ? "warmup" : "sampling"},
          {"done", progress.done},
          {"total", progress.total},
          {"seconds", progress.seconds},
          {"divergences", progress.divergences}};
}

Json json_of(const StudyProgress& progress) {
  return {{"stage", progress.stage},         {"done", progress.done},
          {"failed", progress.failed},       {"running", progress.running},
          {"elsewhere", progress.elsewhere}, {"total", progress.total},
          {"ended", progress.ended},         {"seconds", progress.seconds}};
}

}  // namespace

ProgressDisplay::ProgressDisplay(bool quiet, bool json)
    : style_(quiet                 ? Style::none
             : json                ? Style::json
             : can_rewrite_lines() ? Style::line
                                   : Style::none) {}

ProgressDisplay::~ProgressDisplay() {
  if (style_ == Style::line && last_) std::fputs(wipe_line, stderr);
}

bool ProgressDisplay::is_due() {
  using namespace std::chrono_literals;
  const auto interval = style_ == Style::line ? 100ms : 1000ms;
  const auto now = Clock::now();
  if (last_ && now - *last_ < interval) return false;
  last_ = now;
  return true;
}

/// Ignores write errors, because a run must not end when its progress cannot be written.
template <class Any>
void ProgressDisplay::print(const Any& progress) const {
  const bool is_line = style_ == Style::line;
  std::FILE* const to = is_line ? stderr : stdout;
  const std::string text =
      is_line ? wipe_line + line_of(progress) : json_text({{"progress", json_of(progress)}}) + "\n";
  std::fputs(text.c_str(), to);
  std::fflush(to);
}

void ProgressDisplay::show(const Progress& progress) {
  if (style_ != Style::none && is_due()) print(progress);
}

void ProgressDisplay::show(const StudyProgress& progress) {
  if (style_ == Style::none) return;
  const bool is_new = progress.stage != stage_;
  if (!is_due() && !is_new) return;
  stage_ = progress.stage;
  print(progress);
}

void ProgressDisplay::finish(const StudyProgress& progress) const {
  if (style_ == Style::json) print(progress);
}

void ProgressDisplay::remark(const std::string& text) const {
  const char* const before = style_ == Style::line ? wipe_line : "";
  std::fputs((before + ("mixwell: note: " + text + "\n")).c_str(), stderr);
}

}  // namespace mixwell::app
