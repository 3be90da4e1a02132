// What in a folder is a run's, and what is somebody else's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mixwell {

/// The file that marks a folder as Mixwell's; a run at work there holds a lock on it. Its first
/// line says whether names of results in that folder can be Mixwell's.
inline constexpr const char* mark_name = ".mixwell";
inline constexpr const char* marked_without_results = "Mixwell run";
inline constexpr const char* marked_with_results = "Mixwell run with results";

enum class Owner {
  nobody,           ///< it is empty
  run,              ///< it has the mark
  earlier_version,  ///< no mark, but the results or the checkpoint of a run from before there was
                    ///< one
  other,
};

Owner owner_of(const std::string& folder);
bool is_marked(const std::string& folder);
/// Also if it holds nothing.
bool holds_only_mark(const std::string& folder);
/// Whether a run writes, or a recorder may write, a file of that name beside run.json.
bool is_result(const std::string& name);

/// Removes from `resume` what runs leave there: the files whose names hold `.partial`, checkpoint,
/// run.json, and what is in `look`. Links go as links; other files and folders stay. Never throws.
void remove_unfinished(const std::string& scratch) noexcept;

}  // namespace mixwell
