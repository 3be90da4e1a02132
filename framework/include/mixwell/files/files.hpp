// Writing of files: cached files, durability after a power failure, and exclusive use of libnetcdf.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace mixwell {

/// Returns the path of a cached file or folder, and makes it if it is missing. The path is
/// FOLDER/kind/HASH + suffix, where FOLDER is `$XDG_CACHE_HOME/mixwell` or `~/.cache/mixwell`. HASH
/// is computed from `ingredients`, which must contain everything that determines the content.
/// `make` writes the content under another name in the same folder. The complete content is then
/// renamed, so several processes may do this at once. If `make` throws, nothing remains, and the
/// exception is passed on. Throws RunError if the system refuses a folder or a name.
MIXWELL_EXPORT std::string cached(std::string_view kind, std::string_view ingredients,
                                  std::string_view suffix,
                                  const std::function<void(const std::string& path)>& make);

/// Sets whether files that this process writes must survive a power failure. The default is true. A
/// worker of a study that keeps only summaries sets this to false. The worker reads and deletes its
/// files itself, and 7 calls of fsync cost more than a small run.
MIXWELL_EXPORT void write_durably(bool wanted) noexcept;

/// Calls fsync on an open file if files must survive a power failure. Returns 0, or -1 with errno.
MIXWELL_EXPORT int force_to_disk(int descriptor) noexcept;

/// Gives one thread exclusive use of libnetcdf. libnetcdf and HDF5 below it allow only one thread
/// at a time in a process, even for different files. Hold a NetcdfTurn while you call these
/// libraries. A thread may hold several NetcdfTurns at once.
class MIXWELL_EXPORT NetcdfTurn {
 public:
  NetcdfTurn();
  ~NetcdfTurn();
  NetcdfTurn(const NetcdfTurn&) = delete;
  NetcdfTurn& operator=(const NetcdfTurn&) = delete;
};

}  // namespace mixwell
