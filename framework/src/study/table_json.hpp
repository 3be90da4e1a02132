// The parts of a study's table and plan as JSON, in texts of records and in their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/study.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mixwell {

StudyValue study_value(const nlohmann::ordered_json& json);
nlohmann::ordered_json study_value_json(const StudyValue& value);

void to_json(nlohmann::ordered_json& json, const ErrorPoint& point);
/// Throws nlohmann's exceptions.
void from_json(const nlohmann::ordered_json& json, ErrorPoint& point);

void to_json(nlohmann::ordered_json& json, const AxisAlias& alias);
void from_json(const nlohmann::ordered_json& json, AxisAlias& alias);

void to_json(nlohmann::ordered_json& json, const PaperFigure& figure);
void from_json(const nlohmann::ordered_json& json, PaperFigure& figure);

}  // namespace mixwell
