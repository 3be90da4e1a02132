// Finds the data files that a manifest names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/error.hpp>
#include <mixwell/base/export.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// The folders that an environment variable lists, separated by `:`.
std::vector<std::string> folders_in(const char* variable);

/// A file that was found.
struct FoundFile {
  std::string path;   ///< to open
  std::string named;  ///< for an effective manifest: absolute, or relative to MIXWELL_DATA
};

/// Searches beside the manifest, then in each folder of MIXWELL_DATA (separated by `:`).
class MIXWELL_INTERNAL FileFinder {
 public:
  explicit FileFinder(const std::string& manifest);
  /// Throws InputError with the list of places tried. `what` names the key, and `where` is the
  /// location of the key.
  FoundFile find(const std::string& name, const std::string& what, const Location& where) const;

 private:
  std::string beside_;
  std::vector<std::string> data_folders_;
};

}  // namespace mixwell
