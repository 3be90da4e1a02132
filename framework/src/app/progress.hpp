// How far a run or a study has come, shown while it is at work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/run.hpp>
#include <mixwell/lab/study.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace mixwell::app {

/// A line on standard error that rewrites itself and is wiped at the end, where standard error is a
/// terminal that can rewrite one; or lines of JSON on standard output. At most ten times (JSON:
/// once) a second.
class ProgressDisplay {
 public:
  /// What the command was asked for: nothing, or JSON.
  ProgressDisplay(bool quiet, bool json);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const Progress& progress);
  /// A new stage at once.
  void show(const StudyProgress& progress);
  /// As JSON the last state, whenever the one before was shown.
  void finish(const StudyProgress& progress) const;
  /// A note on standard error, instead of the line.
  void remark(const std::string& text) const;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Style { none, line, json };

  bool is_due();
  template <class Any>
  void print(const Any& progress) const;

  Style style_;
  std::optional<Clock::time_point> last_;
  std::string stage_;  ///< of a study, that was shown last
};

}  // namespace mixwell::app
