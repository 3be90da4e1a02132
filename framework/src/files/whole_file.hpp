// Writing a file so that it is whole under its name, or not there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/descriptor.hpp"

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>

#include <string>
#include <string_view>

namespace mixwell {

/// The system refused to write a file: which, why, and the cure.
class MIXWELL_INTERNAL WriteError : public RunError {
 public:
  WriteError(const std::string& path, int error);
  ~WriteError() override;
  /// The disk, a quota or a limit is used up.
  bool is_full() const noexcept { return full_; }

 private:
  bool full_;
};

enum class Flush { to_disk, later };

/// A file that is written piece by piece under a temporary name, and removed with this object
/// unless it gets its own. All throw WriteError, and leave what has that name.
class UnfinishedFile {
 public:
  UnfinishedFile(std::string name, std::string temporary);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  void write(std::string_view text);
  /// After the last piece.
  void close(Flush flush);
  void give_name();

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  std::string temporary_;
  Descriptor handle_;
  bool is_named_ = false;
};

/// Writes under a temporary name, forces it to disk and renames it; the new name itself outlives a
/// power cut after sync_folder(). Throws WriteError and leaves what was there before. `later`: the
/// system writes it when it likes, and a power cut may leave an empty file.
MIXWELL_INTERNAL void write_whole_file(const std::string& path, std::string_view text,
                                       Flush flush = Flush::to_disk);

/// The same for a file that several processes may write at a time, each the whole of it, on any
/// machines: each has a temporary name of its own.
MIXWELL_INTERNAL void write_shared_file(const std::string& path, std::string_view text,
                                        Flush flush = Flush::to_disk);

/// Removes what writers of shared files have left in the folder: of this machine those that are
/// gone, of others what is an hour old.
MIXWELL_INTERNAL void remove_abandoned(const std::string& folder) noexcept;

/// Makes new names in a folder outlive a power cut, where the file system can.
MIXWELL_INTERNAL void sync_folder(const std::string& folder);

}  // namespace mixwell
