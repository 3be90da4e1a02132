// Writes the report page of a run or a study to a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <functional>
#include <string>

namespace mixwell {

/// Writes the report page for `path`, as `mixwell report PATH` does. `path` is the folder of a run
/// or study, a study file whose results are in the default folder of `mixwell study`, or the table
/// of a study (.json). If `file` is empty, the page is report.html in the folder of the results, or
/// TABLE.html next to TABLE.json. `remark` receives remarks for the user about damaged records of a
/// study. Returns the path of the page. Throws InputError if results are damaged or missing, and
/// RunError if this build has no report page.
MIXWELL_EXPORT std::string write_report(
    const std::string& path, const std::string& file = {},
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

}  // namespace mixwell
