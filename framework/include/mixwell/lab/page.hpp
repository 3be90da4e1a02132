// The report page of a run or a study, and the data that it shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <string>
#include <vector>

namespace mixwell {

/// Returns the data of the page for a run's folder, as one JSON object with `kind` = "run". The
/// object contains summary, certificate, graph and manifest as they are in the folder. The figures
/// contain thinned or binned draws, so the object is at most 4 MB for any run. `notes` lists what
/// was omitted. Numbers in figures are rounded to screen resolution, and numbers in tables to 6
/// digits. The page shows the sentences in `warnings` unchanged.
///
/// Reads the draws of one variable at a time. Takes O(N log N) time for each variable shown, where
/// N is its number of draws. Up to 4 of the variables take 16 times as long, because the page also
/// shows how their effective sample sizes grow with the number of draws. Throws InputError if the
/// folder has no finished run, or if one of its files is damaged.
MIXWELL_EXPORT std::string run_page_json(const std::string& folder,
                                         const std::vector<std::string>& warnings);

/// Returns the data of the page for a study, as one JSON object with `kind` = "study". `table` is
/// the JSON that `mixwell study STUDY --table --json` prints. `source` is its name in error
/// messages. The object contains the table column by column, and at most 20 points of each error
/// curve, with 4 digits. Throws InputError if `table` is not the table of a study.
MIXWELL_EXPORT std::string study_page_json(const std::string& table, const std::string& source);

/// Returns `page_template` with `title` and `json` inserted. Escapes both, so that neither can add
/// HTML to the page. Throws RunError if the template has no placeholder for one of them.
MIXWELL_EXPORT std::string fill_page(const std::string& page_template, const std::string& title,
                                     const std::string& json);

}  // namespace mixwell
