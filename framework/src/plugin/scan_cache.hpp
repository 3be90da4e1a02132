// What scans of libraries found, remembered over processes in the user's cache folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>

#include <map>
#include <string>

namespace mixwell {

/// Size, time of change and inode of a file, as text: what is another file has another.
using FileStamp = std::string;
/// Empty where there is no such file.
MIXWELL_INTERNAL FileStamp stamp_of(const std::string& path);

/// By path, in XDG_CACHE_HOME/mixwell or ~/.cache/mixwell, a file for each Mixwell. One that is
/// damaged, or of another build, counts as none; one that cannot be written does no harm.
class ScanCache {
 public:
  ScanCache();
  /// Writes what is new, for files that are still there.
  ~ScanCache();
  ScanCache(const ScanCache&) = delete;
  ScanCache& operator=(const ScanCache&) = delete;

  /// What was found wrong with that state of the file ("" = nothing), or null.
  const std::string* find(const std::string& path, const FileStamp& stamp) const;
  const std::string& keep(const std::string& path, const FileStamp& stamp, std::string fault);

 private:
  struct ScanVerdict {
    FileStamp stamp;
    std::string fault;
  };
  void read();
  void write() const;

  std::string file_;  ///< "" = nowhere
  std::map<std::string, ScanVerdict> findings_;
  bool is_new_ = false;
};

}  // namespace mixwell
