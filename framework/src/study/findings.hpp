// What a reader of a study must know before its figures: choices that rest on no score.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/export.hpp>
#include <mixwell/lab/study.hpp>

#include <string>
#include <vector>

namespace mixwell::study {

/// A sentence for each tuning that chose without a score, up to five of them, and one where tunings
/// spent different numbers of gradients, by more than a twentieth. `budget`: of each, in gradients.
MIXWELL_EXPORT std::vector<std::string> tuning_findings(const std::vector<StudyTuning>& tunings,
                                                        double budget);

}  // namespace mixwell::study
