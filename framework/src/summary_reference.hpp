// The part of a summary about a reference that the draws are compared with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/draws.hpp>

#include "summary_row.hpp"

namespace mixwell {

/// `reference` of summary_json; `weights`: those of the draws, draws x chains, or empty. Throws
/// InputError.
SummaryJson reference_json(const DrawsFile& file, const SummaryOptions& options,
                           const Eigen::MatrixXd& weights);

/// What the figures of `reference` are; none without one.
std::vector<diagnostics::Definition> reference_definitions(const SummaryOptions& options);

}  // namespace mixwell
