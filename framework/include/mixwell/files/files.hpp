// For those who write files: kept ones, whole or not at all, through a power cut; one thread at a
// time in libnetcdf.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace mixwell {

/// Where a kept file or folder is: FOLDER is `$XDG_CACHE_HOME/mixwell` or `~/.cache/mixwell`, and
/// it is FOLDER/kind/HASH + suffix, HASH that of `ingredients`: all that decides what is in it.
/// Where it is not there, `make` writes it under another name in the same folder, and it is renamed
/// when whole: processes that do so at once do not disturb one another. What `make` throws passes
/// through, and leaves nothing. Throws RunError where the system refuses a folder or a name.
MIXWELL_EXPORT std::string cached(std::string_view kind, std::string_view ingredients,
                                  std::string_view suffix,
                                  const std::function<void(const std::string& path)>& make);

/// Whether what this process writes is to outlive a power cut (it is, unless somebody says
/// otherwise). A worker of a study that keeps only summaries says otherwise: it reads its files
/// itself, takes them away again, and 7 calls of fsync cost more than a small run.
MIXWELL_EXPORT void write_durably(bool wanted) noexcept;

/// fsync of an open file where files are to outlive a power cut. 0, or -1 with errno.
MIXWELL_EXPORT int force_to_disk(int descriptor) noexcept;

/// libnetcdf and the HDF5 below it bear one thread at a time in a whole process, also on different
/// files. Whoever calls them holds a turn meanwhile; a thread may hold several.
class MIXWELL_EXPORT NetcdfTurn {
 public:
  NetcdfTurn();
  ~NetcdfTurn();
  NetcdfTurn(const NetcdfTurn&) = delete;
  NetcdfTurn& operator=(const NetcdfTurn&) = delete;
};

}  // namespace mixwell
