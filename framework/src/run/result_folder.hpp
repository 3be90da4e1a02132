// The folder of one run's results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <string>

namespace mixwell {

/// What a folder that holds something is taken for.
enum class FolderUse {
  empty,    ///< it must hold nothing
  replace,  ///< an earlier run, finished or not, to be replaced
  resume,   ///< a run to go on with; without a checkpoint as `replace`
};

/// Makes the folder ready for a run: created if it is new. Its subfolder `resume` is for what is
/// not finished; unless the run goes on from there it is made anew. When destroyed, `resume` goes
/// if it holds no checkpoint, and the folder if it was made here and is empty.
class ResultFolder {
 public:
  ResultFolder(const std::string& path, FolderUse use);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  const std::string& path() const noexcept { return path_; }
  const std::string& scratch() const noexcept { return scratch_; }
  /// From now on the folder holds no finished run until `write` has written run.json.
  void begin_results() const;
  /// The files of an earlier run are still what they were.
  void abandon_results() const;
  /// Writes a file under a temporary name, flushes it to disk and renames it. Throws RunError.
  void write(const std::string& name, const std::string& text) const;
  /// All files outlive a power cut under their names; a page about an earlier run goes.
  void end_results() const;
  /// The run needs no checkpoint any more.
  void drop_checkpoint() const;

 private:
  std::string path_;
  std::string scratch_;
  bool created_ = false;
};

/// `resume` in the folder of a run.
MIXWELL_INTERNAL std::string scratch_folder(const std::string& path);

}  // namespace mixwell
