// What came of a run, as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/run.hpp>

#include <nlohmann/json_fwd.hpp>

namespace mixwell::app {

/// `{"result": {"folder", "outcome", "ended_by", "resumable", "class", "remarks", "summary",
/// "certificate", "run"}}`; the last three as the files of the folder have them, `summary` null
/// where there is none.
nlohmann::ordered_json run_json(const RunResult& result);

}  // namespace mixwell::app
