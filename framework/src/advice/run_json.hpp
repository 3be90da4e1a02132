// What came of a run, and what `mixwell check` finds, as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/check.hpp>
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

/// check_json() before it is text.
MIXWELL_INTERNAL nlohmann::ordered_json json_of(const Checked& found);

}  // namespace mixwell
