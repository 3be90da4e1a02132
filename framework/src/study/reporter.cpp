// What a study says while it works, and its patience with a disk that is full.
// SPDX-License-Identifier: Apache-2.0
#include "study/reporter.hpp"

#include <thread>

namespace mixwell::study {

void Reporter::tell() {
  progress_.seconds = seconds_since(began_);
  if (options_.progress) options_.progress(progress_);
}

void Reporter::remark(const std::string& text) const {
  if (options_.remark) options_.remark(text);
}

/// False when it has been waited for long enough.
bool Reporter::wait_for_room(const std::string& reason, Clock::time_point start) {
  if (is_made(options_.stop) || seconds_since(start) > disk_wait_) return false;
  if (progress_.stage != "waiting for the disk") remark(reason + "; waiting for room on the disk");
  progress_.stage = "waiting for the disk";
  tell();
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  return true;
}

}  // namespace mixwell::study
