// The part of a summary about directions in the space of the parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/row.hpp"

#include <mixwell/lab/draws.hpp>

namespace mixwell {

/// `directions` of summary_json. Throws InputError.
SummaryJson directions_json(const DrawsFile& file, const SummaryOptions& options,
                            const RowSettings& settings);

}  // namespace mixwell
