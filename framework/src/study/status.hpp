// Where a cell stands, and what a worker says of its task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/study.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace mixwell::study {

/// As the ledger writes it.
std::optional<CellStatus> cell_status_from(std::string_view word) noexcept;

/// How a worker's task ended. `suspended`: it was asked to stop; `disk`: no room on the disk, to be
/// tried again; `bad_input`: the manifest is wrong. `ready`, of no task, once it has begun to
/// listen.
enum class WorkerStatus { ready, done, failed, suspended, disk, bad_input };

/// "ready", "bad-input", ... as in answers.
std::string_view to_string(WorkerStatus status) noexcept;
/// Of an answer. Throws nlohmann's exceptions.
WorkerStatus status_of(const nlohmann::ordered_json& answer);
/// The answer of a task that came to nothing.
nlohmann::ordered_json answer_with(WorkerStatus status, std::string_view reason);

}  // namespace mixwell::study
