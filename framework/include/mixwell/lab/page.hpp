// The report page: what of a run or a study it shows, and the page itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// What the page shows of a run's folder, one JSON object with `kind` = "run": summary,
/// certificate, graph and manifest as they are in the folder, and for the figures thinned or binned
/// draws, so that its size is bounded (4 MB at most) whatever the run's is. `notes` says what was
/// left out. Numbers of figures are rounded to what a screen can show; those of tables to 6 digits.
/// `warnings` are sentences for people, shown as they are.
///
/// Reads the draws of one variable at a time. O(N log N) for the N draws of each variable shown,
/// and 16 times that for the effective sample sizes of the first draws of 4 of them. Throws
/// InputError when the folder holds no finished run or one of its files is damaged.
MIXWELL_EXPORT std::string run_page_json(const std::string& folder,
                                         const std::vector<std::string>& warnings);

/// What the page shows of a study, from the object that `mixwell study STUDY --table --json` prints
/// (`source` names it in errors): the same rows by columns, with `kind` = "study". At most 20
/// points of each error curve, 4 digits each. Throws InputError when `table` is no such object.
MIXWELL_EXPORT std::string study_page_json(const std::string& table, const std::string& source);

/// The page: `page_template` with title and data in their places. Any text in them stays text.
/// Throws RunError when the template lacks such a place.
MIXWELL_EXPORT std::string fill_page(const std::string& page_template, const std::string& title,
                                     const std::string& json);

}  // namespace mixwell
