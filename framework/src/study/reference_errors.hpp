// How far a run's draws are from those of a reference, at the end and along the way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/lab/distances.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>
#include <mixwell/lab/study.hpp>

#include <map>
#include <string>
#include <vector>

namespace mixwell::study {

/// Mean and covariance of all draws of a reference, and the names of what they are of.
struct ReferenceMoments {
  std::vector<std::string> names;
  diagnostics::Moments moments;
};

/// References by the files (draws.nc, CSV, folders of runs) whose draws make them together; each is
/// read once.
class References {
 public:
  /// Throws InputError for files that cannot be read or do not have the same names.
  const ReferenceMoments& of(const std::vector<std::string>& paths);

 private:
  std::map<std::vector<std::string>, ReferenceMoments> known_;
};

/// Relative errors of mean and covariance (REM and REC of summaries) of all draws up to about 20
/// points of a run, spread evenly over log(draws); cost is that of warm-up and sampling, taken in
/// proportion to the draws. Empty where nothing is common or there are no draws. O(n d^2).
std::vector<ErrorPoint> error_curve(const DrawsFile& file, const ReferenceMoments& reference,
                                    const RunRecord& run);

}  // namespace mixwell::study
