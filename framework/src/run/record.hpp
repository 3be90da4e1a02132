// run.json: what happened in a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace mixwell {

/// Puts into a record what composition and sampler know: replicates, divergences, memory, versions,
/// plugins, operations and remarks.
void describe(RunRecord& record, const Composition& composition, const Sampler& sampler);

/// Of a word as in run.json.
MIXWELL_INTERNAL std::optional<EndedBy> ended_by_from(std::string_view word) noexcept;

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const RunRecord& record);
/// Throws nlohmann's exceptions.
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, RunRecord& record);

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const UsedVersions& versions);
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, UsedVersions& versions);

}  // namespace mixwell
