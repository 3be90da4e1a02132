// Writes files atomically: a file never appears under its name before it is complete.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/descriptor.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>

#include <string>
#include <string_view>

namespace mixwell {

/// The system refused to write a file. The message has the file, the reason and the fix.
class MIXWELL_INTERNAL WriteError : public RunError {
 public:
  WriteError(const std::string& path, int error);
  ~WriteError() override;
  /// Whether the disk is full, or a quota or a size limit is reached.
  bool is_full() const noexcept { return full_; }

 private:
  bool full_;
};

enum class Flush { to_disk, later };

/// A file that is written in pieces under a temporary name. The destructor removes the file unless
/// give_name() was called. All functions throw WriteError. On failure, an existing file with the
/// final name stays unchanged.
class UnfinishedFile {
 public:
  UnfinishedFile(std::string name, std::string temporary);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  void write(std::string_view text);
  /// Closes the file after the last piece.
  void close(Flush flush);
  void give_name();

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  std::string temporary_;
  Descriptor handle_;
  bool is_named_ = false;
};

/// Writes a file under a temporary name, forces it to disk and renames it. The new name survives a
/// power cut only after sync_folder(). Throws WriteError, and then the old file stays unchanged.
/// With Flush::later, the system decides when to write the file to disk, so a power cut may leave
/// an empty file.
MIXWELL_INTERNAL void write_whole_file(const std::string& path, std::string_view text,
                                       Flush flush = Flush::to_disk);

/// Like write_whole_file(), but several processes on any machines may write the file at the same
/// time. Each process writes the whole file under its own temporary name.
MIXWELL_INTERNAL void write_shared_file(const std::string& path, std::string_view text,
                                        Flush flush = Flush::to_disk);

/// Removes temporary files that write_shared_file() left in the folder: files of ended processes on
/// this machine, and files of other machines that are more than an hour old.
MIXWELL_INTERNAL void remove_abandoned(const std::string& folder) noexcept;

/// Makes new names in a folder survive a power cut, if the file system supports this.
MIXWELL_INTERNAL void sync_folder(const std::string& folder);

}  // namespace mixwell
