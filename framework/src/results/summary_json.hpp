// Writes and reads summary.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>
#include <mixwell/lab/summary.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <string_view>

namespace mixwell {

/// Keys of a row in `variables` other than standard figures and papers' figures.
inline constexpr std::array<std::string_view, 7> keys_beside_figures = {
    "unreliable", "whole", "label", "indices", "nan_draws", "infinite_draws", "constant"};

MIXWELL_INTERNAL void to_json(nlohmann::ordered_json& json, const Summary& summary);
/// Null becomes NaN. Throws nlohmann's exceptions.
MIXWELL_INTERNAL void from_json(const nlohmann::ordered_json& json, Summary& summary);

}  // namespace mixwell
