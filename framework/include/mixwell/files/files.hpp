// File output: cached files, durability after a power failure, and exclusive use of libnetcdf.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace mixwell {

/// Returns the path of a cached file or folder. `make` writes this file or folder if it is missing.
/// The path is FOLDER/kind/HASH + suffix, where FOLDER is `$XDG_CACHE_HOME/mixwell` or
/// `~/.cache/mixwell`. HASH is computed from `ingredients`, which must contain everything that
/// determines the content. `make` writes to a temporary path in the same folder, and `cached` then
/// renames this path to the final path. So several processes may call `cached` at the same time. If
/// `make` throws, `cached` removes the temporary content and passes the exception on. Throws
/// RunError if neither XDG_CACHE_HOME nor HOME is an absolute path, if the folder cannot be
/// created, or if the temporary path cannot be renamed.
MIXWELL_EXPORT std::string cached(std::string_view kind, std::string_view ingredients,
                                  std::string_view suffix,
                                  const std::function<void(const std::string& path)>& make);

/// Sets whether files that this process writes must survive a power failure. The default is true.
/// If a study keeps only summaries, its workers set this to false. Such a worker reads its files
/// and then deletes them, so they need not survive. The 7 calls to fsync for each run would take
/// longer than a small run.
MIXWELL_EXPORT void write_durably(bool wanted) noexcept;

/// Calls fsync on an open file if files must survive a power failure. Returns 0, or sets errno and
/// returns -1 if fsync fails.
MIXWELL_EXPORT int force_to_disk(int descriptor) noexcept;

/// Gives one thread exclusive use of libnetcdf. libnetcdf uses HDF5, and both allow only one thread
/// at a time in a process, even for different files. Hold a NetcdfTurn while you call these
/// libraries. A thread may hold several NetcdfTurns at the same time.
class MIXWELL_EXPORT NetcdfTurn {
 public:
  NetcdfTurn();
  ~NetcdfTurn();
  NetcdfTurn(const NetcdfTurn&) = delete;
  NetcdfTurn& operator=(const NetcdfTurn&) = delete;
};

}  // namespace mixwell
