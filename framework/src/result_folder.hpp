// The folder of one run's results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell {

/// Makes the folder ready: created if it is new; accepted if empty, or with `force` if it holds an
/// earlier run. Removes it again when destroyed before `keep`, if it was made here and is empty.
class ResultFolder {
 public:
  ResultFolder(const std::string& path, bool force);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  void keep() noexcept { keep_ = true; }
  const std::string& path() const noexcept { return path_; }
  /// Writes a file under a temporary name, flushes it to disk and renames it. Throws RunError.
  void write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
  bool created_ = false;
  bool keep_ = false;
};

}  // namespace mixwell
