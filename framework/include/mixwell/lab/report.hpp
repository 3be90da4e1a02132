// Writes the report page of a run or a study to a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <functional>
#include <string>

namespace mixwell {

/// Writes the page that `mixwell report PATH` writes. `path` is a run's or a study's folder, a
/// study file whose results are where `mixwell study` puts them, or a table of a study (.json).
/// `file` "" means report.html in the folder. `remark` receives remarks for the user about the
/// study's ledger. Returns the path of the page. Throws InputError if results are damaged or
/// missing, and RunError if this build has no page.
MIXWELL_EXPORT std::string write_report(
    const std::string& path, const std::string& file = {},
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

}  // namespace mixwell
