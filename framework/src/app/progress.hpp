// How far a run has come: a line that rewrites itself, or lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mixwell/run.hpp>
#include <optional>
#include <string>

namespace mixwell::app {

/// "sampling  42 %  1.2e+04 sweeps/s  8 s left  0 divergences"
std::string progress_line(const Progress& progress);
/// {"progress": {...}}
std::string progress_json(const Progress& progress);

/// Shows progress at most ten times (JSON: once) a second; the line is wiped at the end.
class ProgressDisplay {
 public:
  enum class Style { none, line, json };

  explicit ProgressDisplay(Style style);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_due();

  Style style_;
  std::optional<Clock::time_point> last_;
};

}  // namespace mixwell::app
