// Shows the progress of a run or a study.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/run.hpp>
#include <mixwell/lab/study.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace mixwell::app {

/// Shows progress as lines of JSON on standard output, at most once a second. Without JSON, shows
/// one line on standard error if standard error is a terminal that can rewrite lines. The line is
/// rewritten at most ten times a second and removed at the end.
class ProgressDisplay {
 public:
  /// The options --quiet and --json of the command.
  ProgressDisplay(bool quiet, bool json);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const Progress& progress);
  /// Shows a new stage immediately.
  void show(const StudyProgress& progress);
  /// If progress is shown as JSON, prints the last state, even directly after another update.
  void finish(const StudyProgress& progress) const;
  /// Prints a note on standard error, in place of the progress line.
  void remark(const std::string& text) const;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Style { none, line, json };

  bool is_due();
  template <class Any>
  void print(const Any& progress) const;

  Style style_;
  std::optional<Clock::time_point> last_;
  std::string stage_;  ///< the stage of a study that was shown last
};

}  // namespace mixwell::app
