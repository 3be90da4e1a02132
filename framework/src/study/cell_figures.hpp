// What a study keeps of a run beside its summary.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/run.hpp>

#include <nlohmann/json.hpp>

namespace mixwell::study {

/// Adds min_ess with its error, cost and metrics of a finished run to the answer of a worker.
void add_figures(const Summary& summary, const RunRecord& run, nlohmann::ordered_json& answer);

}  // namespace mixwell::study
