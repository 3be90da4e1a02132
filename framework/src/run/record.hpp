// Writes and reads run.json, the record of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>

namespace mixwell {

/// Fills in the parts of a record that depend on the composition and the sampler: replicates,
/// divergences, memory, versions, plugins, operations and remarks.
void describe(RunRecord& record, const Composition& composition, const Sampler& sampler);

/// The value for a word in run.json.
MIXWELL_INTERNAL std::optional<EndedBy> ended_by_from(std::string_view word) noexcept;

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const RunRecord& record);
/// Throws nlohmann's exceptions.
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, RunRecord& record);

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const UsedVersions& versions);
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, UsedVersions& versions);

}  // namespace mixwell
