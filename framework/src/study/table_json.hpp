// The parts of a study's table as JSON, in texts of the ledger and in the table's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/study.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mixwell {

void to_json(nlohmann::ordered_json& json, const ErrorPoint& point);
/// Throws nlohmann's exceptions.
void from_json(const nlohmann::ordered_json& json, ErrorPoint& point);

void to_json(nlohmann::ordered_json& json, const PaperFigure& figure);
void from_json(const nlohmann::ordered_json& json, PaperFigure& figure);

}  // namespace mixwell
