// The folder of one run's results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/folder_lock.hpp"

#include <mixwell/base/export.hpp>

#include <memory>
#include <string>

namespace mixwell {

/// What a folder that holds something is taken for.
enum class FolderUse {
  empty,    ///< it must hold nothing
  replace,  ///< an earlier run, finished or not, to be replaced
  resume,   ///< a run to go on with; without a checkpoint as `replace`
};

/// Claims the folder for a run: made if it is new, locked and marked as Mixwell's as long as this
/// lives. Its subfolder `resume` is for what is not finished. Throws InputError, and leaves all as
/// it is, where another process is at work there, where the folder is somebody else's, or a file in
/// it that the run would replace. When destroyed, `resume` goes if it holds no checkpoint, and mark
/// and folder if they were made here and there are no results. Only what Mixwell has written is
/// ever removed or replaced, and symbolic links are not followed.
class ResultFolder {
 public:
  ResultFolder(const std::string& path, FolderUse use);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  const std::string& path() const noexcept { return path_; }
  const std::string& scratch() const noexcept { return scratch_; }
  /// Makes `resume`, and empties it unless the run goes on from there. Throws.
  void begin(bool goes_on);
  /// Whether `resume` holds a whole checkpoint and files as long as it needs them.
  bool can_go_on() const;
  /// From now on the folder holds no finished run until `write` has written run.json; what was
  /// exported from an earlier run goes. Throws RunError.
  void begin_results();
  /// The files of an earlier run are still what they were, without what was exported from it.
  void abandon_results() const;
  /// Writes a file under a temporary name, flushes it to disk and renames it. Throws RunError.
  void write(const std::string& name, const std::string& text) const;
  /// A file that an earlier run may have left.
  void remove(const std::string& name) const;
  /// All files outlive a power cut under their names; a page about an earlier run goes.
  void end_results() const;
  /// The run needs no checkpoint any more.
  void drop_checkpoint() const;

 private:
  void claim(FolderUse use);
  void mark(const char* title) const;
  void remove_exports() const;

  std::string path_;
  std::string scratch_;
  std::string first_made_;  ///< of the folders that were made for it; empty if none was
  bool made_mark_ = false;
  bool begun_ = false;
  bool has_results_ = false;  ///< or may have
  std::unique_ptr<FolderLock> lock_;
};

/// `resume` in the folder of a run.
MIXWELL_INTERNAL std::string scratch_folder(const std::string& path);

/// Throws InputError where a run is at work in the folder.
MIXWELL_INTERNAL void check_idle(const std::string& path);

}  // namespace mixwell
