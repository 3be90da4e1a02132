// What a study says while it works, and its patience with a disk that is full.
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
  /// Keeps a reference to the options. `disk_wait`: seconds.
  Reporter(const StudyOptions& options, double disk_wait)
      : options_(options), disk_wait_(disk_wait) {}

  StudyProgress& progress() noexcept { return progress_; }
  /// StudyProgress::seconds count from here.
  void start_clock() { began_ = Clock::now(); }
  void tell() {
    progress_.seconds = seconds_since(began_);
    if (options_.progress) options_.progress(progress_);
  }
  void remark(const std::string& text) const {
    if (options_.remark) options_.remark(text);
  }

  /// What `action` returns, tried again as long as the disk is full, up to `disk_wait` seconds.
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
  /// Puts back what the progress said before.
  struct Stage {
    StudyProgress& progress;
    std::string before;
    ~Stage() { progress.stage = before; }
  };

  /// False when it has been waited for long enough.
  bool wait_for_room(const std::string& reason, Clock::time_point start) {
    if (is_made(options_.stop) || seconds_since(start) > disk_wait_) return false;
    if (progress_.stage != "waiting for the disk")
      remark(reason + "; waiting for room on the disk");
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
