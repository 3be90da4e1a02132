// How far a run has come: a line that rewrites itself, or lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/display.hpp"

#include <mixwell/lab/run.hpp>

#include <string>

namespace mixwell::app {

/// "sampling  42 %  1.2e+04 sweeps/s  8 s left  0 divergences"
std::string progress_line(const Progress& progress);
/// {"progress": {...}}
std::string progress_json(const Progress& progress);

/// Shows how far a run has come, as often as a Display is due.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(Display::Style style) : display_(style) {}
  void show(const Progress& progress);

 private:
  Display display_;
};

}  // namespace mixwell::app
