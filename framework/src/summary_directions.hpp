// The part of a summary about directions in the space of the parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/draws.hpp>

#include "summary_row.hpp"

namespace mixwell {

/// `beta[3]`, `b[2,3]`; the name alone for a scalar. Last index fastest, from 0.
std::string element_name(const Column& column, Index element);

/// `directions` of summary_json. Throws InputError.
SummaryJson directions_json(const DrawsFile& file, const SummaryOptions& options,
                            const RowSettings& settings);

}  // namespace mixwell
