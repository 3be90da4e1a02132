// What is wrong with the draws of a run, what to do about it, and what could not be judged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/advice.hpp"

#include <mixwell/lab/summary.hpp>

#include <string>
#include <vector>

namespace mixwell::app {

/// R-hat beyond which chains have not mixed: draws of different chains are then of different laws,
/// and no Monte Carlo error says how far they are from another.
inline constexpr double unmixed_rhat = 1.05;

/// What is wrong and what to do about it, causes before symptoms.
std::vector<std::string> warnings(const Summary& summary, const Advice& advice);

/// "rhat and ess_tail of b and 3 more: 666 of 4000 draws are NaN"
std::string in_words(const NotJudged& one);

/// Whether the row's standard effective sample sizes are too small to rely on.
bool is_unreliable(const SummaryRow& row);

}  // namespace mixwell::app
