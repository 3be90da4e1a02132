// How far a run's draws are from those of a reference, at the end and along the way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/task.hpp"

#include <mixwell/lab/distances.hpp>
#include <mixwell/lab/draws.hpp>
#include <mixwell/lab/run.hpp>

#include <map>
#include <string>
#include <vector>

namespace mixwell::study {

/// Mean and covariance of all draws of a reference, and the names of what they are of.
struct ReferenceMoments {
  std::vector<std::string> names;
  diagnostics::Moments moments;
  Eigen::VectorXd mcse;  ///< of the means; all draws count as one chain
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

/// What ReferenceErrors says of a run, but for its reference and reason; nothing where no variable
/// is on both sides or there are no two draws.
///   curve     relative errors of mean and covariance (REM and REC of summaries) of all draws up to
///             about 20 points of the run, spread evenly over log(draws); cost is that of warm-up
///             and sampling, taken in proportion to the draws. O(n d^2). Of the mean not known
///             where the reference's means are not apart from 0: an error relative to noise says
///             nothing.
///   distance  of all draws, over variables that vary in the reference: mean_error_mcse and
///             mean_error_sd, the largest |mean - reference mean| in Monte Carlo errors of both and
///             in the reference's sd; within_4_mcse, the share of variables whose means are;
///             compared_variables, how many there are; sd_ratio_min and sd_ratio_max, of sd /
///             reference sd. O(n d log n).
ReferenceErrors errors_against(const ReferenceMoments& reference, const DrawsFile& file,
                               const RunRecord& run);

}  // namespace mixwell::study
