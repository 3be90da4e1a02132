// What came of a run, as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/run.hpp>

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace mixwell {

/// `{"result": {"folder", "outcome", "ended_by", "resumable", "class", "remarks", "warnings",
/// "summary", "certificate", "run"}}`; the last three as the files of the folder have them,
/// `summary` null where there is none, and then no warnings. The manifest is the run's.
MIXWELL_INTERNAL nlohmann::ordered_json run_json(const RunResult& result,
                                                 const std::string& effective_manifest);

/// The texts of warnings(), as a list.
MIXWELL_INTERNAL nlohmann::ordered_json warnings_json(const std::optional<Summary>& summary,
                                                      const std::string& effective_manifest);

}  // namespace mixwell
