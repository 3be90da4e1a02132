// What is wrong with the draws of a run, what to do about it, and what could not be judged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice/advice.hpp"

#include <mixwell/base/export.hpp>
#include <mixwell/lab/advice.hpp>
#include <mixwell/lab/summary.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// R-hat beyond which chains have not mixed: draws of different chains are then of different laws,
/// and no Monte Carlo error says how far they are from another.
inline constexpr double unmixed_rhat = 1.05;

/// Of a manifest that has been read already, or is not at hand.
MIXWELL_INTERNAL std::vector<std::string> warnings(const Summary& summary, const Advice& advice);

/// "rhat and ess_tail of b and 3 more: 666 of 4000 draws are NaN"
MIXWELL_INTERNAL std::string in_words(const NotJudged& one);

/// Whether the row's standard effective sample sizes are too small to rely on.
MIXWELL_INTERNAL bool is_unreliable(const SummaryRow& row);

}  // namespace mixwell
