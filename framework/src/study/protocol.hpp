// How a study and its workers speak: a line of JSON for a request, and one for its answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/task.hpp"

#include <string>

namespace mixwell::study {

/// The descriptor that a worker answers on. Its first line, of no request, says that its plugins
/// are loaded.
inline constexpr int answer_descriptor = 3;

MIXWELL_EXPORT std::string line_of(const WorkerRequest& request);
/// What is no UTF-8 becomes U+FFFD.
MIXWELL_EXPORT std::string line_of(const WorkerAnswer& answer);
/// Throw RunError for any other line.
MIXWELL_EXPORT WorkerRequest request_from(const std::string& line);
MIXWELL_EXPORT WorkerAnswer answer_from(const std::string& line);

/// A plan as a study remembers it. Throws nlohmann's exceptions.
std::string plan_text(const CellPlan& plan);
CellPlan plan_from(const std::string& text);

}  // namespace mixwell::study
