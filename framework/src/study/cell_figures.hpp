// What a study keeps of a run beside its summary.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace mixwell::study {

/// Adds min_ess with its error, cost and metrics of a finished run to the answer of a worker.
void add_figures(const std::string& summary, const std::string& run,
                 nlohmann::ordered_json& answer);

}  // namespace mixwell::study
