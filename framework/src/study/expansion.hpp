// From a study file to its cells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/file.hpp"

#include <mixwell/lab/study.hpp>

#include <vector>

namespace mixwell::study {

/// Models, then variants, then axes in the order of the file, seeds innermost; without the excluded
/// ones. Throws InputError for a study without cells, an exclusion that excludes none, and for two
/// cells of one label.
std::vector<StudyCell> expand(const StudyFile& study);

/// What the cells that differ only in the seed have in common, as JSON: {"model", "variant",
/// "axes"}. Seeds of tuning come from it.
std::string place_of(const StudyCell& cell);

/// All changes that make the manifest of a cell, or one like it with `more` of them and another
/// seed: its own, then `more`, then `seed` as run.seed.
std::vector<Override> changes_with(const StudyFile& study, const StudyCell& cell,
                                   const std::vector<Override>& more, std::int64_t seed);

/// A seed of its own for each text, below 2^53 so that every reader of JSON keeps it.
std::int64_t seed_of(const std::string& text);

}  // namespace mixwell::study
