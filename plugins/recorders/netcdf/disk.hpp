// What the recorder says and does about disks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/plugin.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace mixwell::disk {

/// What the user can do about a system error that ended a recording.
inline std::string cure(int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    return "free some space or lift the limit, write to another disk (--out), or record less "
           "(run.thin, run.draws)";
  return "check the folder, its permissions and its disk, or write elsewhere (--out)";
}

/// Why a recording cannot go on with a file it finds.
inline std::string cannot_continue(const std::string& file, const std::string& reason) {
  return file + ": cannot continue this file: " + reason +
         "; it must be the one that the interrupted run left, with the manifest of that run; or "
         "run "
         "again from the start";
}

/// Makes new names outlive a power cut; where a file system refuses, the files are whole all the
/// same.
inline void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  force_to_disk(descriptor);
  ::close(descriptor);
}

}  // namespace mixwell::disk
