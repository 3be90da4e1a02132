// What the draws of a run do not allow to judge, and which of its chains never moved.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/table.hpp"

#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/summary.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace mixwell {

/// Of all elements that are no constants, those without some standard figure, together by what the
/// figures are and why they are missing, in the order of the file; then acceptance and E-BFMI where
/// they were recorded and are not numbers.
std::vector<NotJudged> not_judged(const DrawsFile& file, const SummaryTable& table);

/// SamplerSummary::still_chains.
std::optional<std::int64_t> still_chains(const DrawsFile& file, const SummaryTable& table);

}  // namespace mixwell
