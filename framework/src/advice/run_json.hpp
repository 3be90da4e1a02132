// What came of a run, as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/run.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace mixwell {

/// `{"result": {"folder", "outcome", "ended_by", "resumable", "class", "remarks", "warnings",
/// "summary", "certificate", "run"}}`; the last three as the files of the folder have them,
/// `summary` null where there is none, and then no warnings. The manifest is the run's.
MIXWELL_INTERNAL nlohmann::ordered_json run_json(const RunResult& result,
                                                 const std::string& effective_manifest);

/// All that a run's folder says of the run: `{"run", "certificate", "manifest", "warnings",
/// "summary"}`.
MIXWELL_INTERNAL nlohmann::ordered_json folder_json(const std::string& folder);

}  // namespace mixwell
