// Lets one process at a time work in a folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/descriptor.hpp"

#include <mixwell/base/export.hpp>

#include <chrono>
#include <string>

namespace mixwell {

/// The file to lock, and the texts for error messages.
struct LockTerms {
  std::string file;       ///< name of the lock file in the folder
  std::string title;      ///< the first line of a new lock file
  std::string work;       ///< "this study"
  std::string more_cure;  ///< more text after the fix, or ""
  std::chrono::milliseconds patience{0};
};

/// A lock on a file in the folder. The constructor creates the file if it is missing. The system
/// frees the lock when this process and every child that inherited `descriptor` have ended. The
/// first line of the file is a title, and the second line names the process that holds the lock.
/// The constructor throws InputError with the name of the process that holds the lock, or with the
/// reason why the file cannot be opened. It does not follow symbolic links.
class FolderLock {
 public:
  MIXWELL_INTERNAL FolderLock(const std::string& folder, const LockTerms& terms);

  int descriptor() const noexcept { return descriptor_.get(); }
  /// Returns false if the title could not be written.
  bool set_title(const std::string& title) const;
  /// Removes the file but keeps the lock.
  void remove_file() const;

 private:
  std::string path_;
  Descriptor descriptor_;
};

/// Throws the InputError of the constructor of FolderLock if another process holds the lock. Does
/// not change the folder.
MIXWELL_INTERNAL void check_unlocked(const std::string& folder, const LockTerms& terms);

/// The first line of a lock file. "" if the file is missing or is not a regular file.
std::string lock_title(const std::string& path);

}  // namespace mixwell
