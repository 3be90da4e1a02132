// summary.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/summary.hpp>

#include <nlohmann/json.hpp>

namespace mixwell {

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const Summary& summary);
/// Null becomes NaN. Throws nlohmann's exceptions.
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, Summary& summary);

}  // namespace mixwell
