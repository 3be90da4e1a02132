// One process at a time works in a folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/descriptor.hpp"

#include <mixwell/base/export.hpp>

#include <chrono>
#include <string>

namespace mixwell {

/// What is locked, and what is said to whom it is refused.
struct LockTerms {
  std::string file;       ///< in the folder
  std::string title;      ///< first line of a new file
  std::string work;       ///< "this study"
  std::string more_cure;  ///< after the cure; "" = nothing
  std::chrono::milliseconds patience{0};
};

/// A lock on a file of the folder, made if it is not there. The system frees it when this process
/// is dead and every child that has inherited `descriptor`. The file's first line is a title, the
/// second the process that holds it. Throws InputError that names this process, or what keeps the
/// file from being opened; symbolic links are not followed.
class FolderLock {
 public:
  MIXWELL_INTERNAL FolderLock(const std::string& folder, const LockTerms& terms);

  int descriptor() const noexcept { return descriptor_.get(); }
  /// False where the disk does not allow it.
  bool set_title(const std::string& title) const;
  /// Removes the file; the lock is held on.
  void remove_file() const;

 private:
  std::string path_;
  Descriptor descriptor_;
};

/// Throws as the constructor of a lock where somebody holds it; leaves the folder as it is.
MIXWELL_INTERNAL void check_unlocked(const std::string& folder, const LockTerms& terms);

/// The first line of a lock's file; "" where there is none, or not a regular file.
std::string lock_title(const std::string& path);

}  // namespace mixwell
