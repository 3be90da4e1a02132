// How far a study has come: a line that rewrites itself, or lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mixwell/study.hpp>
#include <optional>
#include <string>

namespace mixwell::app {

/// "running  120 of 1000 done  3 failed  2 running  4.1 cells/s  4 min left"
std::string study_progress_line(const StudyProgress& progress);
/// {"progress": {...}}
std::string study_progress_json(const StudyProgress& progress);

/// Shows progress at most ten times (JSON: once) a second, and the last state; a line is wiped at
/// the end, and before a remark.
class StudyDisplay {
 public:
  enum class Style { none, line, json };

  explicit StudyDisplay(Style style);
  ~StudyDisplay();
  StudyDisplay(const StudyDisplay&) = delete;
  StudyDisplay& operator=(const StudyDisplay&) = delete;

  void show(const StudyProgress& progress);
  void remark(const std::string& text);
  /// The last state, whenever the one before was shown.
  void finish(const StudyProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_due();
  void print(const StudyProgress& progress) const;

  Style style_;
  std::optional<Clock::time_point> last_;
};

}  // namespace mixwell::app
