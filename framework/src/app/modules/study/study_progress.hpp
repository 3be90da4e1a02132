// How far a study has come: a line that rewrites itself, or lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/display.hpp"

#include <mixwell/lab/study.hpp>

#include <string>

namespace mixwell::app {

/// "running  120 of 1000 cells done  3 failed  2 running  4.1 cells/s  4 min left"
std::string study_progress_line(const StudyProgress& progress);
/// {"progress": {...}}
std::string study_progress_json(const StudyProgress& progress);

/// Shows how far a study has come: each new stage, as often as a Display is due, and the last
/// state.
class StudyDisplay {
 public:
  explicit StudyDisplay(Display::Style style) : display_(style) {}
  void show(const StudyProgress& progress);
  void remark(const std::string& text) const;
  /// The last state, whenever the one before was shown.
  void finish(const StudyProgress& progress) const;

 private:
  void print(const StudyProgress& progress) const;

  Display display_;
  std::string stage_;  ///< that was shown last
};

}  // namespace mixwell::app
