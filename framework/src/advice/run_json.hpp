// The results of a run and of `mixwell check` as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/check.hpp>
#include <mixwell/lab/run.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace mixwell {

/// `{"result": {"folder", "outcome", "ended_by", "resumable", "class", "remarks", "warnings",
/// "summary", "certificate", "run"}}`. "summary", "certificate" and "run" have the contents of the
/// files in the folder. If there is no summary, "summary" is null and "warnings" is empty.
/// `effective_manifest`: the manifest of the run.
MIXWELL_INTERNAL nlohmann::ordered_json run_json(const RunResult& result,
                                                 const std::string& effective_manifest);

/// The contents of a run's folder: `{"run", "certificate", "manifest", "warnings", "summary"}`.
MIXWELL_INTERNAL nlohmann::ordered_json folder_json(const std::string& folder);

/// The result of check_json() before it is converted to text.
MIXWELL_INTERNAL nlohmann::ordered_json json_of(const Checked& found);

}  // namespace mixwell
