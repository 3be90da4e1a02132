// Distinguishes the files of a run from other files in the same folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell {

/// The file that marks a folder as a folder of Mixwell. A run that uses the folder holds a lock on
/// this file. The first line of the file says whether Mixwell may have written files with names of
/// results.
inline constexpr const char* mark_name = ".mixwell";
inline constexpr const char* marked_without_results = "Mixwell run";
inline constexpr const char* marked_with_results = "Mixwell run with results";

enum class Owner {
  nobody,           ///< the folder is empty
  run,              ///< the folder has the mark
  earlier_version,  ///< no mark, but results or a checkpoint of a version before marks existed
  other,
};

Owner owner_of(const std::string& folder);
bool is_marked(const std::string& folder);
/// Also true for an empty folder.
bool holds_only_mark(const std::string& folder);
/// Whether a run or a recorder may write a file with this name next to run.json.
bool is_result(const std::string& name);

/// Removes the files that runs leave in `resume`: files whose names contain `.partial`, checkpoint,
/// run.json, and the contents of `look`. Removes links but does not follow them. Keeps other files
/// and folders. Never throws.
void remove_unfinished(const std::string& scratch) noexcept;

}  // namespace mixwell
