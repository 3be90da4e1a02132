// The report page of a run or a study, and the data that it shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Returns the data of the page for a run's folder, as one JSON object with `kind` = "run". It
/// contains summary, certificate, graph and manifest as they are in the folder. For the figures it
/// contains thinned or binned draws, so its size is bounded (at most 4 MB) for any run. `notes`
/// says what was omitted. Numbers in figures are rounded to screen resolution, and numbers in
/// tables to 6 digits. `warnings` are sentences for people, shown unchanged.
///
/// Reads the draws of one variable at a time. O(N log N) for the N draws of each variable shown,
/// and 16 times as much for the effective sample sizes of the first draws of 4 variables. Throws
/// InputError if the folder has no finished run or one of its files is damaged.
MIXWELL_EXPORT std::string run_page_json(const std::string& folder,
                                         const std::vector<std::string>& warnings);

/// Returns the data of the page for a study, from the object that `mixwell study STUDY --table
/// --json` prints (errors call it `source`). The data have `kind` = "study" and the same rows,
/// stored by columns. They contain at most 20 points of each error curve, with 4 digits. Throws
/// InputError if `table` is not such an object.
MIXWELL_EXPORT std::string study_page_json(const std::string& table, const std::string& source);

/// Returns the page: `page_template` with title and data inserted. Text in them stays text. Throws
/// RunError if the template has no place for them.
MIXWELL_EXPORT std::string fill_page(const std::string& page_template, const std::string& title,
                                     const std::string& json);

}  // namespace mixwell
