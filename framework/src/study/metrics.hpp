// Numbers in a worker's answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <limits>

namespace mixwell::study {

using Json = nlohmann::ordered_json;

Json finite_or_null(double value);

/// NaN where there is no such number.
double number_in(const Json& json, const char* key);

/// Adds a metric and its Monte Carlo error; nothing for NaN.
void add_metric(Json& answer, const char* name, double value,
                double mcse = std::numeric_limits<double>::quiet_NaN());

}  // namespace mixwell::study
