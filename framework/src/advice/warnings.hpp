// Warnings about draws, with advice. Descriptions of statistics that could not be computed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice/advice.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/advice.hpp>
#include <mixwell/lab/summary.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Above this R-hat the chains have not mixed: the draws of different chains then have different
/// distributions, and no Monte Carlo error measures how far these distributions differ.
inline constexpr double unmixed_rhat = 1.05;

/// The warnings for a summary. `advice`: from the manifest if there is one, otherwise without keys.
MIXWELL_INTERNAL std::vector<std::string> warnings(const Summary& summary, const Advice& advice);

/// "rhat and ess_tail of b and 3 more: 666 of 4000 draws are NaN"
MIXWELL_INTERNAL std::string in_words(const NotJudged& one);

/// Whether the row's standard effective sample sizes are too small to be reliable.
MIXWELL_INTERNAL bool is_unreliable(const SummaryRow& row);

}  // namespace mixwell
