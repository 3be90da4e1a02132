// Reports the progress of a study, and waits while the disk is full.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.hpp"
#include "files/whole_file.hpp"

#include <mixwell/lab/study.hpp>

#include <string>
#include <thread>

namespace mixwell::study {

class Reporter {
 public:
  /// Keeps a reference to the options. `disk_wait`: longest time to wait for disk space, in
  /// seconds.
  Reporter(const StudyOptions& options, double disk_wait)
      : options_(options), disk_wait_(disk_wait) {}

  StudyProgress& progress() noexcept { return progress_; }
  /// Starts the clock for StudyProgress::seconds.
  void start_clock() { began_ = Clock::now(); }
  void tell() {
    progress_.seconds = seconds_since(began_);
    if (options_.progress) options_.progress(progress_);
  }
  void remark(const std::string& text) const {
    if (options_.remark) options_.remark(text);
  }

  /// Returns the result of `action`. Repeats it while the disk is full, for up to `disk_wait`
  /// seconds.
  template <class Action>
  auto patiently(Action action) -> decltype(action()) {
    const Stage stage{progress_, progress_.stage};
    const auto start = Clock::now();
    for (;;) {
      try {
        return action();
      } catch (const WriteError& fault) {
        if (!fault.is_full() || !wait_for_room(fault.what(), start)) throw;
      }
    }
  }

 private:
  /// Restores the earlier stage of the progress when it is destroyed.
  struct Stage {
    StudyProgress& progress;
    std::string before;
    ~Stage() { progress.stage = before; }
  };

  /// Waits a moment. Returns false if `disk_wait` seconds have passed or a stop was requested.
  bool wait_for_room(const std::string& reason, Clock::time_point start) {
    if (is_made(options_.stop) || seconds_since(start) > disk_wait_) return false;
    if (progress_.stage != "waiting for the disk")
      remark(reason + "\n  Mixwell waits for free disk space and then tries again");
    progress_.stage = "waiting for the disk";
    tell();
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    return true;
  }

  const StudyOptions& options_;
  double disk_wait_;
  StudyProgress progress_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace mixwell::study
