// The words of a ledger for how a cell stands and what ended it.
// SPDX-License-Identifier: Apache-2.0
#include "study/status.hpp"

#include "files/words.hpp"
#include "run/record.hpp"
#include "study/database.hpp"

#include <optional>

namespace mixwell {
namespace {

constexpr Words<CellStatus, 4> cell_words = {{{CellStatus::pending, "pending"},
                                              {CellStatus::running, "running"},
                                              {CellStatus::done, "done"},
                                              {CellStatus::failed, "failed"}}};

}  // namespace

std::string_view to_string(CellStatus status) noexcept { return word_of(cell_words, status); }

namespace study {
namespace {

template <class T>
T known(const std::optional<T>& found, const std::string& word) {
  if (found) return *found;
  throw DatabaseError("the ledger calls a cell \"" + word + "\": it is damaged",
                      DatabaseError::Cause::damage);
}

}  // namespace

CellStatus cell_status_from(const std::string& word) {
  return known(find_word(cell_words, word), word);
}

EndedBy ended_by_from(const std::string& word) { return known(mixwell::ended_by_from(word), word); }

}  // namespace study
}  // namespace mixwell
