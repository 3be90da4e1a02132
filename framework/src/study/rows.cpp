// Rows of a study's records: words and lists that stand in a column.
// SPDX-License-Identifier: Apache-2.0
#include "study/rows.hpp"

#include "files/words.hpp"
#include "run/record.hpp"
#include "study/table_json.hpp"

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
T known(const std::optional<T>& found, const Json& word) {
  if (found) return *found;
  throw Json::other_error::create(501, json_text(word) + " is no word of a study", &word);
}

}  // namespace

void read_column(const Json& json, CellStatus& to) {
  to = known(find_word(cell_words, json.get_ref<const std::string&>()), json);
}

void read_column(const Json& json, EndedBy& to) {
  to = known(ended_by_from(json.get_ref<const std::string&>()), json);
}

Json column_json(const std::vector<ErrorPoint>& curve) {
  return curve.empty() ? Json() : Json(json_text(curve));
}

void read_column(const Json& json, std::vector<ErrorPoint>& to) {
  parse_json(json.get_ref<const std::string&>()).get_to(to);
}

}  // namespace study
}  // namespace mixwell
