// Where a cell stands, and what a worker says of its task.
// SPDX-License-Identifier: Apache-2.0
#include "study/status.hpp"

#include "files/words.hpp"

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

constexpr Words<WorkerStatus, 6> worker_words = {{{WorkerStatus::ready, "ready"},
                                                  {WorkerStatus::done, "done"},
                                                  {WorkerStatus::failed, "failed"},
                                                  {WorkerStatus::suspended, "suspended"},
                                                  {WorkerStatus::disk, "disk"},
                                                  {WorkerStatus::bad_input, "bad-input"}}};

}  // namespace

std::optional<CellStatus> cell_status_from(std::string_view word) noexcept {
  return find_word(cell_words, word);
}

std::string_view to_string(WorkerStatus status) noexcept { return word_of(worker_words, status); }

WorkerStatus status_of(const nlohmann::ordered_json& answer) {
  return word_in(worker_words, answer, "status");
}

nlohmann::ordered_json answer_with(WorkerStatus status, std::string_view reason) {
  return {{"status", to_string(status)}, {"reason", reason}};
}

}  // namespace study
}  // namespace mixwell
