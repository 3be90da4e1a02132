// The words of a ledger for how a cell stands and what ended it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/study.hpp>

#include <string>

namespace mixwell::study {

/// Throw DatabaseError for a word that a ledger does not have.
CellStatus cell_status_from(const std::string& word);
EndedBy ended_by_from(const std::string& word);

}  // namespace mixwell::study
