// The part of a summary about directions in the space of the parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/row.hpp"

#include <mixwell/lab/summary.hpp>

namespace mixwell {

/// `directions` of a summary. Throws InputError.
DirectionsSummary summarise_directions(const DrawsFile& file, const SummaryOptions& options,
                                       const RowSettings& settings);

}  // namespace mixwell
