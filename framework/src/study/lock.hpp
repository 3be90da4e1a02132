// One process at a time works on a study.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell::study {

/// A lock on a file of the study's folder, held as long as this lives or any worker that has
/// inherited `descriptor`. Waits up to 3 s for workers of a parent that was killed; throws
/// InputError naming the process that holds it.
class StudyLock {
 public:
  explicit StudyLock(const std::string& folder);
  ~StudyLock();
  StudyLock(const StudyLock&) = delete;
  StudyLock& operator=(const StudyLock&) = delete;

  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace mixwell::study
