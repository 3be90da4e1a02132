// Numbers in a worker's answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <limits>

namespace mixwell::study {

using Json = nlohmann::ordered_json;

/// Adds a metric and its Monte Carlo error; nothing for NaN.
void add_metric(Json& answer, const char* name, double value,
                double mcse = std::numeric_limits<double>::quiet_NaN());

}  // namespace mixwell::study
