// Fair tuning: every variant chooses its own values on the same budget of gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/file.hpp"

#include <mixwell/lab/study.hpp>

#include <string>
#include <vector>

namespace mixwell::study {

/// What a variant (on a model, at one point of the axes) may choose.
std::vector<TuneKey> tune_keys(const StudyFile& study, const StudyCell& cell);

/// Candidates 0, 1, ... of a tuning: point k of the additive recurrence frac(o + k a) in the unit
/// cube of n keys, a_j = x^-(j+1) with x^(n+1) = x + 1 (a low-discrepancy sequence), o from `text`.
/// A list takes its share of [0, 1) for each value.
MIXWELL_EXPORT std::vector<AxisValue> candidate(const std::vector<TuneKey>& keys, std::int64_t k,
                                                const std::string& text);

/// What sets the keys to these values.
std::vector<Override> changes_to(const std::vector<TuneKey>& keys,
                                 const std::vector<AxisValue>& values);

/// Successive halving: how many candidates each rung tries. The number falls by
/// candidates^(1 / rungs) from rung to rung.
MIXWELL_EXPORT std::vector<std::int64_t> rungs(const TuneSettings& settings);

/// The budget of a trial in rung r, in gradients: every rung has the same share of what is left
/// when those before it have spent so much, so that what one overdraws the next ones save.
MIXWELL_EXPORT double budget_of_trial(const TuneSettings& settings, std::size_t rung, double spent);

/// Indices of the best `count` scores (NaN is worst), best first; of equals the first.
MIXWELL_EXPORT std::vector<std::int64_t> best(
    const std::vector<std::pair<std::int64_t, double>>& scores, std::int64_t count);

}  // namespace mixwell::study
