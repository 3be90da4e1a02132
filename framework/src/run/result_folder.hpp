// The folder for the results of one run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/folder_lock.hpp"

#include <mixwell/base/export.hpp>

#include <memory>
#include <string>

namespace mixwell {

/// How a run treats the present contents of a folder.
enum class FolderUse {
  empty,    ///< the folder must be empty
  replace,  ///< replace an earlier run, finished or not
  resume,   ///< continue a run; like `replace` if there is no checkpoint
};

/// Claims the folder for a run. The folder is created if it is missing. It is locked and marked as
/// a folder of Mixwell during the lifetime of this object. Its subfolder `resume` holds unfinished
/// files. The constructor throws InputError and changes nothing if another process uses the folder,
/// if the folder is not Mixwell's, or if the run would replace a file that is not Mixwell's. The
/// destructor removes `resume` if `resume` holds no checkpoint. It also removes the mark and the
/// folder if this object made them and there are no results. Only files that Mixwell has written
/// are ever removed or replaced, and symbolic links are not followed.
class ResultFolder {
 public:
  ResultFolder(const std::string& path, FolderUse use);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  const std::string& path() const noexcept { return path_; }
  const std::string& scratch() const noexcept { return scratch_; }
  /// Creates `resume`. Empties this folder unless the run continues from a checkpoint in it.
  /// Throws.
  void begin(bool goes_on);
  /// Whether `resume` holds a complete checkpoint and files that have at least the lengths in the
  /// checkpoint.
  bool can_go_on() const;
  /// Begins to replace the results: the folder holds no finished run until `write` has written
  /// run.json. Removes files that were exported from an earlier run. Throws RunError.
  void begin_results();
  /// Restores run.json of the earlier run. The other files of that run are unchanged, except that
  /// exported files stay removed.
  void abandon_results() const;
  /// Writes a file under a temporary name, flushes it to disk and renames it. Throws RunError.
  void write(const std::string& name, const std::string& text) const;
  /// Removes a file that an earlier run may have left.
  void remove(const std::string& name) const;
  /// Makes sure that all files survive a power failure. Removes the report of an earlier run.
  void end_results() const;
  /// Removes the checkpoint, which the run no longer needs.
  void drop_checkpoint() const;

 private:
  void claim(FolderUse use);
  void mark(const char* title) const;
  void remove_exports() const;

  std::string path_;
  std::string scratch_;
  std::string first_made_;  ///< the outermost folder that was created; empty if none was
  bool made_mark_ = false;
  bool begun_ = false;
  bool has_results_ = false;  ///< the folder has results, or may have
  std::unique_ptr<FolderLock> lock_;
};

/// The subfolder `resume` of a run's folder.
MIXWELL_INTERNAL std::string scratch_folder(const std::string& path);

/// Throws InputError if a run uses the folder.
MIXWELL_INTERNAL void check_idle(const std::string& path);

}  // namespace mixwell
