// Which cells of a study have ended, told by listing one folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/study.hpp>

#include <string>
#include <unordered_map>

namespace mixwell::study {

/// ended/CELL.done or ended/CELL.failed, empty files. One is made after the record of its cell and
/// removed before it, so that a name says that there is a record. The records are the truth: who
/// leads the study puts this in order.
using EndStatuses = std::unordered_map<std::string, CellStatus>;

/// Some hundred calls of the file system for 10^5 cells, where their records are 10^5. Nothing
/// where there is no such folder.
MIXWELL_EXPORT EndStatuses indexed_ends(const std::string& folder);

/// Throws WriteError.
MIXWELL_EXPORT void index_end(const std::string& folder, const std::string& cell,
                              CellStatus status);
MIXWELL_EXPORT void forget_end(const std::string& folder, const std::string& cell);

}  // namespace mixwell::study
