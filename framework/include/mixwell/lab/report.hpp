// The page of a run or of a study, from its folder to a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <functional>
#include <string>

namespace mixwell {

/// Writes what `mixwell report PATH` writes: the page of a run's or a study's folder, of a study
/// file whose results are where `mixwell study` puts them, or of a table of a study (.json).
/// `file`: "" = report.html in the folder. `remark` is told what the user should know of the
/// study's ledger. Returns the path of the page. Throws InputError for results that are damaged or
/// not there, and RunError where this build has no page.
MIXWELL_EXPORT std::string write_report(
    const std::string& path, const std::string& file = {},
    const std::function<void(const std::string&)>& remark = [](const std::string&) {});

}  // namespace mixwell
