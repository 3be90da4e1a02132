// run.json: what happened in a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

namespace mixwell {

/// Puts into a record what composition and sampler know: replicates, divergences, memory, versions,
/// plugins, operations and remarks.
void describe(RunRecord& record, const Composition& composition, const Sampler& sampler);

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const RunRecord& record);
/// Throws nlohmann's exceptions.
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, RunRecord& record);

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const UsedVersions& versions);
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, UsedVersions& versions);

}  // namespace mixwell
