// How far a study has come: a line that rewrites itself, or lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#include "app/modules/study/study_progress.hpp"

#include "files/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mixwell::app {
namespace {

std::string left_of(const StudyProgress& progress) {
  constexpr double too_early = 0.5;
  if (progress.ended == 0 || progress.seconds < too_early) return "";
  const auto left = static_cast<double>(progress.total - progress.done - progress.failed);
  return "  " + time_left(left * progress.seconds / static_cast<double>(progress.ended));
}

double rate(const StudyProgress& progress) {
  return progress.seconds > 0 ? static_cast<double>(progress.ended) / progress.seconds : 0.0;
}

}  // namespace

std::string study_progress_line(const StudyProgress& progress) {
  if (progress.total == 0) return progress.stage;
  const std::string elsewhere =
      progress.elsewhere == 0 ? "" : fmt::format("  {} elsewhere", progress.elsewhere);
  const char* const unit = progress.stage == "tuning" ? "trials" : "cells";
  return fmt::format("{}  {} of {} {} done  {} failed  {} running{}  {:.3g} {}/s{}", progress.stage,
                     progress.done, progress.total, unit, progress.failed, progress.running,
                     elsewhere, rate(progress), unit, left_of(progress));
}

std::string study_progress_json(const StudyProgress& progress) {
  const nlohmann::ordered_json json = {{"progress",
                                        {{"stage", progress.stage},
                                         {"done", progress.done},
                                         {"failed", progress.failed},
                                         {"running", progress.running},
                                         {"elsewhere", progress.elsewhere},
                                         {"total", progress.total},
                                         {"ended", progress.ended},
                                         {"seconds", progress.seconds}}}};
  return json_text(json);
}

void StudyDisplay::show(const StudyProgress& progress) {
  if (display_.style() == Display::Style::none) return;
  const bool is_new = progress.stage != stage_;
  if (!display_.is_due() && !is_new) return;
  stage_ = progress.stage;
  print(progress);
}

void StudyDisplay::finish(const StudyProgress& progress) const {
  if (display_.style() == Display::Style::json) print(progress);
}

void StudyDisplay::remark(const std::string& text) const {
  display_.remark("mixwell: note: " + text);
}

void StudyDisplay::print(const StudyProgress& progress) const {
  const bool is_line = display_.style() == Display::Style::line;
  display_.print(is_line ? study_progress_line(progress) : study_progress_json(progress));
}

}  // namespace mixwell::app
